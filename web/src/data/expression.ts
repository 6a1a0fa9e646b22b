// In: what a person typed into a filter: a regular expression on the name, or a condition such as `lr > 1e-3 and adam`.
// Out: a predicate over runs, and what was wrong with the text if anything. Never `eval`: the text may come with an address.
//
//   or    := and ("or" and)*          and := not (("and")? not)*        not := "not" not | "(" or ")" | term
//   term  := key op value | pattern   op  := > >= < <= = == != ~ !~

import type { Run } from "../api/types";
import { num } from "../api/types";

export type Predicate = (run: Run) => boolean;
export interface Parsed {
  test: Predicate;
  error: string | null;
}

type Token = { kind: "(" | ")" | "and" | "or" | "not" } | { kind: "term"; text: string } | { kind: "compare"; key: string; op: string; value: string };

const QUOTED = /^"([^"]*)"(>=|<=|!=|==|!~|=|>|<|~)(.+)$/s;
const OPERATOR = /^(.+?)\s*(>=|<=|!=|==|!~|=|>|<|~)\s*(.+)$/s;

/** Words, and brackets that stand before or after one; brackets inside a word belong to its pattern: `seed-(1|2)`. */
function words(text: string): string[] {
  const out: string[] = [];
  let word = "";
  let depth = 0;
  let quoted = false;
  const end = () => {
    if (word) out.push(word);
    word = "";
    depth = 0;
  };
  for (const c of text) {
    if (c === '"') quoted = !quoted;
    if (quoted || c === '"') word += c;
    else if (/\s/.test(c)) end();
    else if (c === "(" && !word) out.push(c);
    else if (c === ")" && depth === 0) {
      end();
      out.push(c);
    } else {
      depth += c === "(" ? 1 : c === ")" ? -1 : 0;
      word += c;
    }
  }
  end();
  return out;
}

function split(text: string): Token[] {
  const glued = text.replace(/\s*(>=|<=|!=|==|!~|=|>|<|~)\s*/g, "$1");
  return words(glued).map((w): Token => {
    if (w === "(" || w === ")") return { kind: w };
    const lower = w.toLowerCase();
    if (lower === "and" || lower === "or" || lower === "not") return { kind: lower };
    // a name with spaces stands in quotes: "learning rate" > 0.01
    const m = w.startsWith('"') ? QUOTED.exec(w) : OPERATOR.exec(w);
    if (m) return { kind: "compare", key: m[1], op: m[2], value: m[3].replace(/^"(.*)"$/s, "$1") };
    return { kind: "term", text: w.replace(/^"(.*)"$/s, "$1") };
  });
}

function lookup(run: Run, key: string): unknown {
  if (Object.hasOwn(run.hparams, key)) return run.hparams[key];
  if (Object.hasOwn(run.metrics, key)) return num(run.metrics[key].last);
  const dot = key.lastIndexOf(".");
  if (dot > 0) {
    const m = Object.hasOwn(run.metrics, key.slice(0, dot)) ? run.metrics[key.slice(0, dot)] : undefined;
    const part = key.slice(dot + 1);
    if (m && (part === "min" || part === "max" || part === "last")) return num(m[part]);
  }
  switch (key) {
    case "name": return run.name;
    case "id": return run.id;
    case "status": return run.status;
    case "note": return run.note;
    case "label": case "tag": return run.labels;
    case "step": return run.step;
    case "points": return run.points;
    case "age": return run.age;
    case "checkpoints": return run.checkpoints;
    default: return undefined;
  }
}

function pattern(text: string): (s: string) => boolean {
  try {
    const re = new RegExp(text, "i");
    return (s) => re.test(s);
  } catch {
    const plain = text.toLowerCase();
    return (s) => s.toLowerCase().includes(plain);
  }
}

function comparison(key: string, op: string, wanted: string): Predicate {
  if (op === "~" || op === "!~") {
    const match = pattern(wanted);
    return (run) => {
      const v = lookup(run, key);
      const hit = Array.isArray(v) ? v.some((x) => match(String(x))) : v !== undefined && v !== null && match(String(v));
      return op === "~" ? hit : !hit;
    };
  }
  const number = wanted.trim() === "" ? NaN : Number(wanted);
  return (run) => {
    const v = lookup(run, key);
    if (Array.isArray(v)) return v.includes(wanted) === (op !== "!=");
    if (v === undefined || v === null) return op === "!=";
    if (op === "=" || op === "==" || op === "!=") {
      const same = typeof v === "number" && !Number.isNaN(number) ? v === number : String(v).toLowerCase() === wanted.toLowerCase();
      return op === "!=" ? !same : same;
    }
    const left = typeof v === "number" ? v : Number(v);
    if (Number.isNaN(left) || Number.isNaN(number)) return false;
    return op === ">" ? left > number : op === ">=" ? left >= number : op === "<" ? left < number : left <= number;
  };
}

export function parseFilter(text: string): Parsed {
  const trimmed = text.trim();
  if (!trimmed) return { test: () => true, error: null };
  const byName = (source: string): Predicate => {
    const match = pattern(source);
    return (run) => match(run.name) || (run.name !== run.id && match(run.id)) || run.labels.some(match);
  };
  // no comparison and no connective: the whole text is one pattern, spaces included
  if (!/[<>=~]/.test(trimmed.replace(/\(\?[<=!:]+/g, "")) && !/\s(and|or)\s|^not\s/i.test(trimmed)) {
    try {
      new RegExp(trimmed);
      return { test: byName(trimmed), error: null };
    } catch {
      return { test: byName(trimmed), error: "not a regular expression; looking for the text itself" };
    }
  }
  const tokens = split(trimmed);
  let at = 0;
  const peek = () => tokens[at];
  const parseOr = (): Predicate => {
    const parts = [parseAnd()];
    while (peek()?.kind === "or") { at++; parts.push(parseAnd()); }
    return parts.length === 1 ? parts[0] : (r) => parts.some((p) => p(r));
  };
  const parseAnd = (): Predicate => {
    const parts = [parseNot()];
    for (let t = peek(); t && t.kind !== "or" && t.kind !== ")"; t = peek()) {
      if (t.kind === "and") at++;
      parts.push(parseNot());
    }
    return parts.length === 1 ? parts[0] : (r) => parts.every((p) => p(r));
  };
  const parseNot = (): Predicate => {
    const t = tokens[at++];
    if (!t) throw new Error("the condition is not finished");
    if (t.kind === "not") { const inner = parseNot(); return (r) => !inner(r); }
    if (t.kind === "(") {
      const inner = parseOr();
      if (tokens[at++]?.kind !== ")") throw new Error("a bracket is not closed");
      return inner;
    }
    if (t.kind === "compare") return comparison(t.key, t.op, t.value);
    if (t.kind === "term") return byName(t.text);
    throw new Error(`“${t.kind}” stands where a condition should`);
  };
  try {
    const test = parseOr();
    if (at < tokens.length) throw new Error("something is left over after the condition");
    return { test, error: null };
  } catch (e) {
    return { test: byName(trimmed), error: (e as Error).message };
  }
}
