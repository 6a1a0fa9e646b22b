// The text page: markdown or plain text of every step. What a log contains is never run (see markdown).

import { useLayoutEffect, useRef } from "preact/hooks";
import { address } from "../../api/client";
import type { TextAnswer } from "../../api/types";
import { flag, param } from "../../data/address";
import { useJson } from "../../data/fetch";
import { linkSteps, useStep } from "../../data/steps";
import { ErrorCard } from "../../widgets/Empty";
import { Toggle } from "../../widgets/Field";
import { RunTitle } from "../../widgets/RunTitle";
import { StepSlider } from "../../widgets/StepSlider";
import { TagPage, type TagCard } from "../../widgets/TagPage";
import { toFragment } from "./markdown";

const asMarkdown = param("md", true, flag);
const EXAMPLE = `from milepost import summary

with summary.create_file_writer("runs/first").as_default():
    summary.text("config", "**batch** 64, *lr* 1e-3", step=0)`;

export default function Text() {
  return (
    <TagPage plugin="text" fill="wide" cardHeight={264} minWidth={400} empty={{ title: "No text yet", code: EXAMPLE }}
      toolbar={<>
        <Toggle label="markdown" value={asMarkdown.value} onChange={(v) => (asMarkdown.value = v)} />
        <Toggle label="same step everywhere" value={linkSteps.value} onChange={(v) => (linkSteps.value = v)} />
      </>}
      render={(card) => <TextCard card={card} />} />
  );
}

function TextCard({ card }: { card: TagCard }) {
  const { run, tag } = card;
  const { data, error } = useJson<TextAnswer>(address("api/text", { run: run.id, tag: tag.tag }), run.id, "text");
  const [index, setIndex] = useStep(data?.step ?? []);
  const sample = data && index >= 0 ? data.text[index] : null;
  return (
    <article class="card" aria-label={`${tag.tag} of ${run.name}`}>
      <RunTitle run={run} />
      <div class="media prose" tabIndex={0} role="region" aria-label={`Text of ${tag.tag}, ${run.name}`}>
        {error && <ErrorCard message={error} />}
        {sample && <Sample sample={sample} />}
        {sample?.cut && <p class="dim">The text is longer than the board shows.</p>}
      </div>
      <footer class="media-foot">{data && <StepSlider steps={data.step} wall={data.wall} index={index} onChange={setIndex} label={`${tag.tag} of ${run.name}`} />}</footer>
    </article>
  );
}

/** A scalar or a list is a text; a matrix is a table of texts. */
function Sample({ sample }: { sample: TextAnswer["text"][number] }) {
  const { shape, values } = sample;
  if (shape.length < 2) return <>{values.map((v, i) => <Prose key={i} text={v} />)}</>;
  const width = shape[shape.length - 1] || 1;
  const rows = Array.from({ length: Math.ceil(values.length / width) }, (_, r) => values.slice(r * width, (r + 1) * width));
  return <table><tbody>{rows.map((row, r) => <tr key={r}>{row.map((v, c) => <td key={c}><Prose text={v} /></td>)}</tr>)}</tbody></table>;
}

function Prose({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const md = asMarkdown.value;
  useLayoutEffect(() => {
    if (md) box.current!.replaceChildren(toFragment(text));
    else box.current!.textContent = text;
  }, [text, md]);
  return <div ref={box} class={md ? "markdown" : "plain"} />;
}
