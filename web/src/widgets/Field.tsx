// In: a value and what to call when it changes. Out: the few form controls of the page: native ones, so that keyboard, screen
// reader and phone work as everywhere.

import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./Icon";

export function Select<T extends string>(p: { label: string; value: T; options: readonly (readonly [T, string])[]; onChange(v: T): void; hideLabel?: boolean }) {
  return (
    <label class="field">
      <span class={p.hideLabel ? "sr" : "field-name"}>{p.label}</span>
      <select aria-label={p.label} value={p.value} onChange={(e) => p.onChange(e.currentTarget.value as T)}>
        {p.options.map(([v, name]) => <option key={v} value={v}>{name}</option>)}
      </select>
    </label>
  );
}

export function Toggle(p: { label: string; value: boolean; onChange(v: boolean): void; title?: string }) {
  return (
    <label class="field toggle" title={p.title}>
      <input type="checkbox" checked={p.value} onChange={(e) => p.onChange(e.currentTarget.checked)} />
      <span>{p.label}</span>
    </label>
  );
}

/** A text that takes effect while typing, but not on every key. */
export function Search(p: { label: string; value: string; placeholder: string; onChange(v: string): void; error?: string | null; id?: string }) {
  const [typed, setTyped] = useState(p.value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const sent = useRef(p.value);
  // only what came from elsewhere: the echo of our own text would undo what was typed since
  useEffect(() => {
    if (p.value !== sent.current) {
      sent.current = p.value;
      setTyped(p.value);
    }
  }, [p.value]);
  const change = (v: string, wait: number) => {
    setTyped(v);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = v;
      p.onChange(v);
    }, wait);
  };
  return (
    <label class={`search ${p.error ? "bad" : ""}`}>
      <Icon name="search" />
      <input id={p.id} type="search" aria-label={p.label} value={typed} placeholder={p.placeholder} spellcheck={false} autocomplete="off" title={p.error ?? p.label}
        onInput={(e) => change(e.currentTarget.value, 120)}
        onKeyDown={(e) => { if (e.key === "Enter") change(typed, 0); if (e.key === "Escape" && typed) { change("", 0); e.stopPropagation(); } }} />
      {p.error && <span class="search-error" role="status">{p.error}</span>}
    </label>
  );
}

export function Slider(p: { label: string; value: number; min: number; max: number; step: number; onChange(v: number): void; shown?: string; hideLabel?: boolean; wide?: boolean; disabled?: boolean }) {
  return (
    <label class={`field slider ${p.wide ? "wide" : ""}`}>
      <span class={p.hideLabel ? "sr" : "field-name"}>{p.label}</span>
      <input type="range" aria-label={p.label} min={p.min} max={p.max} step={p.step} value={p.value} disabled={p.disabled} aria-valuetext={p.shown} onInput={(e) => p.onChange(Number(e.currentTarget.value))} />
      <output>{p.shown ?? p.value}</output>
    </label>
  );
}
