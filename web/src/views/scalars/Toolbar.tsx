// The line above the charts: which tags, which axes, how smooth. Every control writes to the address.

import { Search, Select, Slider, Toggle } from "../../widgets/Field";
import { Icon, IconButton } from "../../widgets/Icon";
import { Menu } from "../../widgets/Menu";
import { atText } from "../../chart/summary";
import { TIP_SORTS, tipSort, type TipSort } from "../../chart/cursor";
import { columns, tagFilter, tagFilterError } from "../../data/tags";
import { scalarTags } from "./cards";
import { combining } from "./Combine";
import { cardZoom, clearZoom, clipOutliers, linkZoom, restarts, sharedY, showMarks, smoothing, smoothKind, xAxis, xKind, xUnit, xZoom, yKind } from "./options";

const KINDS = [["linear", "linear"], ["log", "log"], ["symlog", "symlog"]] as const;

/** The slider's travel is spent where it matters: the last tenth of the way is 0.9 … 0.999. */
const toWeight = (t: number) => (t <= 0.9 ? t : 1 - 10 ** (-1 - (t - 0.9) * 20));
const toTravel = (w: number) => (w <= 0.9 ? w : 0.9 + (-Math.log10(1 - w) - 1) / 20);

export function Toolbar() {
  const metrics = scalarTags.value.slice(0, 500).map((t) => ["m:" + t.tag, t.tag] as const);
  const other = xAxis.value.startsWith("m:") && !metrics.some(([v]) => v === xAxis.value) ? [[xAxis.value, xAxis.value.slice(2)] as const] : [];
  const zoomed = xZoom.value || Object.keys(cardZoom.value).length > 0;
  const weight = smoothKind.value === "none" ? 0 : smoothing.value;
  return (
    <div class="toolbar" role="toolbar" aria-label="Charts">
      <Search id="tag-filter" label="Filter tags by regular expression" value={tagFilter.value} placeholder="tags: regex" onChange={(v) => (tagFilter.value = v)} error={tagFilterError.value} />
      <label class="field">
        <span class="field-name">x</span>
        <select aria-label="x" value={xAxis.value} onChange={(e) => { xAxis.value = e.currentTarget.value; clearZoom(); }}>
          <option value="step">step</option>
          <option value="relative">relative</option>
          <option value="wall">wall time</option>
          <optgroup label="another metric">{[...other, ...metrics].map(([v, n]) => <option key={v} value={v}>{n}</option>)}</optgroup>
        </select>
      </label>
      <Select label="y" value={yKind.value} options={KINDS} onChange={(v) => (yKind.value = v)} />
      <Slider label="smooth" min={0} max={1} step={0.01} value={toTravel(weight)} shown={weight ? String(Number(weight.toFixed(4))) : "off"}
        onChange={(t) => { const w = Number(toWeight(t).toFixed(4)); smoothing.value = Math.min(0.9990, w); if (w > 0 && smoothKind.peek() === "none") smoothKind.value = "ema"; }} />
      <Toggle label="clip outliers" title="Clip the y range to the 5–95 % quantiles of all points" value={clipOutliers.value} onChange={(v) => (clipOutliers.value = v)} />
      {zoomed && (
        <button type="button" class="chip" onClick={clearZoom} title="Reset zoom">
          {xZoom.value ? `${atText(xZoom.value[0], xUnit.value)} – ${atText(xZoom.value[1], xUnit.value)}` : "zoomed"} <Icon name="close" />
        </button>
      )}
      <span class="spring" />
      <IconButton name="plus" label="Chart of several tags" onClick={() => (combining.value = { title: "", tags: [], from: null })} />
      <Menu label="More settings" face={<Icon name="gear" />}>
        {() => (
          <div class="settings">
            <Select label="columns" value={String(columns.value)} options={[["0", "as fit"], ["1", "1"], ["2", "2"], ["3", "3"], ["4", "4"], ["5", "5"], ["6", "6"]] as const} onChange={(v) => (columns.value = Number(v))} />
            <Select label="x scale" value={xKind.value} options={KINDS} onChange={(v) => (xKind.value = v)} />
            <Select label="smoothing" value={smoothKind.value} options={[["ema", "exponential (time-weighted)"], ["gaussian", "Gaussian"], ["none", "none"]] as const} onChange={(v) => (smoothKind.value = v)} />
            <Select label="restarts" value={restarts.value} options={[["last", "keep the last write of a step"], ["all", "show everything"], ["split", "one line per start"]] as const} onChange={(v) => (restarts.value = v)} />
            <Select<TipSort> label="tooltip order" value={tipSort.value} options={TIP_SORTS.map((s) => [s, s] as const)} onChange={(v) => (tipSort.value = v)} />
            <Toggle label="same y range in a section" value={sharedY.value} onChange={(v) => (sharedY.value = v)} />
            <Toggle label="zoom all charts together" value={linkZoom.value} onChange={(v) => { clearZoom(); linkZoom.value = v; }} />
            <Toggle label="checkpoints ◆ on curves" value={showMarks.value} onChange={(v) => (showMarks.value = v)} />
          </div>
        )}
      </Menu>
    </div>
  );
}
