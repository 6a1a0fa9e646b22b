// The audio page: a player and a step slider for each tag and run. The bytes are read when a player asks for them.

import { useState } from "preact/hooks";
import { address, blobAddress } from "../../api/client";
import type { MediaAnswer, MediaItem } from "../../api/types";
import { bytes, duration } from "../../base/format";
import { useJson } from "../../data/fetch";
import { linkSteps, useStep } from "../../data/steps";
import { ErrorCard } from "../../widgets/Empty";
import { Toggle } from "../../widgets/Field";
import { RunTitle } from "../../widgets/RunTitle";
import { StepSlider } from "../../widgets/StepSlider";
import { TagPage, type TagCard } from "../../widgets/TagPage";

const EXAMPLE = `from milepost import summary

with summary.create_file_writer("runs/first").as_default():
    summary.audio("speech", waves, sample_rate=16000, step=0)   # k × frames × channels, -1 … 1`;
const MAX_PLAYERS = 4;

export default function Audio() {
  return (
    <TagPage plugin="audio" fill="wide" cardHeight={176} minWidth={320} empty={{ title: "No audio yet", code: EXAMPLE }}
      toolbar={<Toggle label="same step everywhere" value={linkSteps.value} onChange={(v) => (linkSteps.value = v)} />}
      render={(card) => <AudioCard card={card} />} />
  );
}

function AudioCard({ card }: { card: TagCard }) {
  const { run, tag } = card;
  const { data, error } = useJson<MediaAnswer>(address("api/audio", { run: run.id, tag: tag.tag }), run.id, "audio");
  const [index, setIndex] = useStep(data?.step ?? []);
  const items = data && index >= 0 ? data.items[index] : [];
  return (
    <article class="card" aria-label={`${tag.tag} of ${run.name}`}>
      <RunTitle run={run} />
      <div class="media players" tabIndex={0} role="region" aria-label={`Players of ${tag.tag}, ${run.name}`}>
        {error && <ErrorCard message={error} />}
        {items.slice(0, MAX_PLAYERS).map((item, i) => <Player key={item.blob ?? i} item={item} name={`${tag.tag} of ${run.name}, step ${data!.step[index]}, ${i + 1}`} />)}
        {items.length > MAX_PLAYERS && <span class="dim">and {items.length - MAX_PLAYERS} more</span>}
      </div>
      <footer class="media-foot">{data && <StepSlider steps={data.step} wall={data.wall} index={index} onChange={setIndex} label={`${tag.tag} of ${run.name}`} />}</footer>
    </article>
  );
}

function Player({ item, name }: { item: MediaItem; name: string }) {
  const [broken, setBroken] = useState(false);
  if (item.error || broken || !item.blob) return <ErrorCard message={item.error ?? "the browser cannot play this sound"} />;
  const facts = [item.label ?? "", item.rate ? `${item.rate} Hz` : "", item.channels ? (item.channels === 1 ? "mono" : `${item.channels} channels`) : "", item.seconds !== undefined ? duration(item.seconds) : "", item.bytes ? bytes(item.bytes) : ""].filter(Boolean).join(" · ");
  return (
    <div class="player">
      <audio controls preload="metadata" src={blobAddress(item.blob)} aria-label={name} onError={() => setBroken(true)} />
      <span class="dim">{facts} · <a href={blobAddress(item.blob, true)} download>save</a></span>
    </div>
  );
}
