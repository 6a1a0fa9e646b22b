// In: the tip signal. Out: one box beside the pointer, above everything. Not here: how its rows are found (Chart).

import { useLayoutEffect, useRef } from "preact/hooks";
import { value } from "../base/format";
import { sortRows, tip, tipSort } from "./cursor";
import { Swatch } from "../widgets/Swatch";

const MAX_ROWS = 16;

export function Tooltip() {
  const box = useRef<HTMLDivElement>(null);
  const t = tip.value;
  useLayoutEffect(() => {
    const e = box.current;
    if (!e || !t) return;
    if (!e.matches(":popover-open")) e.showPopover();
    const { width, height } = e.getBoundingClientRect();
    const left = t.left + 16 + width > innerWidth ? Math.max(4, t.left - 16 - width) : t.left + 16;
    const top = Math.max(4, Math.min(t.top + 12, innerHeight - height - 4));
    e.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  });
  if (!t) return null;
  const rows = sortRows(t.rows, tipSort.value);
  const closest = t.rows.reduce((best, r) => (r.distance < best.distance ? r : best), t.rows[0]);
  const smoothed = rows.some((r) => r.raw !== null);
  return (
    <div class="tip" ref={box} popover="manual" role="presentation">
      <div class="tip-head">
        <strong>{t.heading}</strong>
        <span>{t.title}</span>
      </div>
      <table>
        {smoothed && (
          <thead>
            <tr><th colSpan={2} /><th>smoothed</th><th>value</th><th /></tr>
          </thead>
        )}
        <tbody>
          {rows.slice(0, MAX_ROWS).map((r) => (
            <tr key={r.key} class={r === closest ? "on" : ""}>
              <td><Swatch colour={r.colour} dash={r.dash} /></td>
              <td class="name">{r.label}</td>
              <td class="n">{value(r.value, 5)}</td>
              {smoothed && <td class="n dim">{r.raw === null ? "" : value(r.raw, 5)}</td>}
              <td class="n dim">{r.at}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS && <div class="tip-note">and {rows.length - MAX_ROWS} more</div>}
      {t.note && <div class="tip-note">{t.note}</div>}
    </div>
  );
}
