// The images page: every step of every image tag, one slider for all, at actual size if wished. Not here: decoding; the
// browser does it, and the board refuses what is not a picture.

import { useState } from "preact/hooks";
import { address, blobAddress } from "../../api/client";
import type { MediaAnswer, MediaItem } from "../../api/types";
import { bytes } from "../../base/format";
import { flag, number, param } from "../../data/address";
import { useJson } from "../../data/fetch";
import { linkSteps, useStep } from "../../data/steps";
import { Dialog } from "../../widgets/Dialog";
import { ErrorCard } from "../../widgets/Empty";
import { Slider, Toggle } from "../../widgets/Field";
import { IconButton } from "../../widgets/Icon";
import { RunTitle } from "../../widgets/RunTitle";
import { StepSlider } from "../../widgets/StepSlider";
import { TagPage, type TagCard } from "../../widgets/TagPage";

const actual = param("actual", false, flag);
const brightness = param("bright", 1, number);
const contrast = param("contrast", 1, number);
const MAX_BATCH = 64;

const EXAMPLE = `from milepost import summary

with summary.create_file_writer("runs/first").as_default():
    summary.image("digits", images, step=0, max_outputs=9)   # k × height × width × channels`;

export default function Images() {
  return (
    <TagPage plugin="images" cardHeight={320} minWidth={256} empty={{ title: "No images yet", code: EXAMPLE }}
      toolbar={<>
        <Toggle label="actual size" value={actual.value} onChange={(v) => (actual.value = v)} />
        <Slider label="brightness" min={0} max={3} step={0.05} value={brightness.value} shown={brightness.value.toFixed(2)} onChange={(v) => (brightness.value = v)} />
        <Slider label="contrast" min={0} max={3} step={0.05} value={contrast.value} shown={contrast.value.toFixed(2)} onChange={(v) => (contrast.value = v)} />
        {(brightness.value !== 1 || contrast.value !== 1) && <button type="button" class="link" onClick={() => { brightness.value = 1; contrast.value = 1; }}>reset</button>}
        <Toggle label="same step everywhere" value={linkSteps.value} onChange={(v) => (linkSteps.value = v)} />
      </>}
      render={(card, width) => <ImageCard card={card} width={width} />} />
  );
}

function ImageCard({ card }: { card: TagCard; width: number }) {
  const { run, tag } = card;
  const { data, error } = useJson<MediaAnswer>(address("api/images", { run: run.id, tag: tag.tag }), run.id, "images");
  const [index, setIndex] = useStep(data?.step ?? []);
  const [open, setOpen] = useState(false);
  const items = data && index >= 0 ? data.items[index] : [];
  return (
    <article class="card" aria-label={`${tag.tag} of ${run.name}`}>
      <RunTitle run={run}>
        <IconButton name="expand" label="Full screen" disabled={!items.length} onClick={() => setOpen(true)} />
      </RunTitle>
      <div class={`media ${actual.value ? "actual" : ""}`} tabIndex={actual.value ? 0 : -1}>
        {error ? <ErrorCard message={error} /> : <Batch items={items} actual={actual.value} name={`${tag.tag}, step ${data?.step[index] ?? ""}, run ${run.name}`} />}
      </div>
      <footer class="media-foot">
        {data && <StepSlider steps={data.step} wall={data.wall} index={index} onChange={setIndex} label={`${tag.tag} of ${run.name}`} />}
        <span class="dim">{facts(items)}</span>
      </footer>
      {open && (
        <Dialog title={`${tag.tag} · ${run.name} · step ${data!.step[index]}`} full onClose={() => setOpen(false)}>
          <div class="media actual big" tabIndex={0}><Batch items={items} actual name={tag.tag} /></div>
          <footer class="media-foot"><StepSlider steps={data!.step} wall={data!.wall} index={index} onChange={setIndex} label={tag.tag} /></footer>
        </Dialog>
      )}
    </article>
  );
}

function facts(items: MediaItem[]): string {
  if (!items.length) return "";
  const i = items[0];
  return [items.length > 1 ? `${items.length} images` : "", i.width ? `${i.width} × ${i.height}` : "", i.type?.replace("image/", "") ?? "", i.bytes ? bytes(i.bytes) : ""].filter(Boolean).join(" · ");
}

function Batch({ items, actual: full, name }: { items: MediaItem[]; actual: boolean; name: string }) {
  const columns = full ? 0 : Math.ceil(Math.sqrt(items.length));
  const filter = brightness.value === 1 && contrast.value === 1 ? "" : `brightness(${brightness.value}) contrast(${contrast.value})`;
  return (
    <div class="batch" style={columns ? { gridTemplateColumns: `repeat(${columns}, 1fr)` } : {}}>
      {items.slice(0, MAX_BATCH).map((item, i) => <Picture key={item.blob ?? i} item={item} name={`${name}, ${i + 1} of ${items.length}`} filter={filter} full={full} />)}
      {items.length > MAX_BATCH && <span class="dim">and {items.length - MAX_BATCH} more</span>}
    </div>
  );
}

function Picture({ item, name, filter, full }: { item: MediaItem; name: string; filter: string; full: boolean }) {
  const [broken, setBroken] = useState(false);
  if (item.error || broken || !item.blob) return <ErrorCard message={item.error ?? "the browser cannot show this picture"} />;
  // a picture of a few pixels is looked at pixel by pixel: no blur
  const small = (item.width ?? 999) <= 128 && (item.height ?? 999) <= 128;
  return (
    <img src={blobAddress(item.blob)} alt={name} class={small ? "pixels" : ""} draggable={false} loading="lazy" decoding="async" width={full ? item.width : undefined} height={full ? item.height : undefined}
      style={{ filter, aspectRatio: item.width && item.height ? `${item.width} / ${item.height}` : "" }} onError={() => setBroken(true)} />
  );
}
