// In: sections of items, a card's height and least width. Out: a grid in which only what is on screen exists: ten thousand
// cards scroll like ten. Heights are known beforehand, so nothing jumps. Not here: what a card shows.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "./Icon";
import { integer } from "../base/format";

export interface Section<T> {
  key: string;
  title: string;
  items: T[];
  open: boolean;
}

export interface GridProps<T> {
  sections: Section<T>[];
  cardHeight: number;
  minWidth: number;
  /** 0: as many as fit */
  columns: number;
  keyOf(item: T): string;
  onToggle(section: string): void;
  render(item: T, width: number, height: number): ComponentChildren;
  /** cards of a section with few of them are wider, and "tall" ones higher, too; a picture would only be blown up */
  fill?: "wide" | "tall";
  noun?: string;
}

const GAP = 12;
const HEAD = 40;
const PAD = 16;
/** a card may be this much narrower than told, if that saves a row of its own for one card */
const SQUEEZE = 0.95;
/** a wide card is higher, too: a slope should look as steep as in its neighbours */
const WIDE = { from: 700, ratio: 0.36, most: 400 };

/** As many columns as leave the fewest holes in the rows that are needed anyway: 2 cards fill 3 columns' room, 5 stand as 3 and 2. */
export function columnsFor(items: number, columns: number, room: number, minWidth: number): number {
  if (items < 1) return columns;
  if (items === columns + 1 && (room - GAP * columns) / items >= SQUEEZE * minWidth) return items;
  return Math.ceil(items / Math.ceil(items / columns));
}

export function VirtualGrid<T>(p: GridProps<T>) {
  const root = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, top: 0, height: 0 });

  useLayoutEffect(() => {
    const scroller = root.current!.closest<HTMLElement>(".scroll")!;
    const measure = () => {
      const top = Math.max(0, scroller.getBoundingClientRect().top - root.current!.getBoundingClientRect().top);
      const width = root.current!.clientWidth;
      const height = scroller.clientHeight;
      setSize((old) => (Math.abs(old.top - top) < 8 && old.width === width && old.height === height ? old : { width, top, height }));
    };
    measure();
    scroller.addEventListener("scroll", measure, { passive: true });
    const watch = new ResizeObserver(measure);
    watch.observe(root.current!);
    watch.observe(scroller);
    return () => {
      scroller.removeEventListener("scroll", measure);
      watch.disconnect();
    };
  }, []);

  const inner = Math.max(0, size.width - 2 * PAD);
  const columns = p.columns >= 1 ? Math.min(24, Math.floor(p.columns)) : Math.max(1, Math.floor((inner + GAP) / (Math.min(p.minWidth, inner) + GAP)));

  const layout = useMemo(() => {
    let y = 0;
    const out = p.sections.map((s) => {
      const across = p.fill && p.columns < 1 ? columnsFor(s.items.length, columns, inner, p.minWidth) : columns;
      const width = Math.floor((inner - GAP * (across - 1)) / across);
      const height = p.fill === "tall" && width > WIDE.from ? Math.max(p.cardHeight, Math.min(WIDE.most, Math.round(width * WIDE.ratio))) : p.cardHeight;
      const rows = s.open ? Math.ceil(s.items.length / across) : 0;
      const at = y;
      y += HEAD + rows * (height + GAP);
      return { s, at, rows, across, width, height };
    });
    return { out, total: y + PAD };
  }, [p.sections, columns, inner, p.cardHeight, p.fill]);

  const from = size.top - 300;
  const to = size.top + size.height + 300;
  const shown: ComponentChildren[] = [];
  if (size.width) {
    for (const { s, at, rows, across, width, height } of layout.out) {
      const end = at + HEAD + rows * (height + GAP);
      if (end < from || at > to) continue;
      shown.push(
        <div key={"h:" + s.key} class="grid-head" style={{ transform: `translateY(${at}px)`, width: inner + "px", left: PAD + "px" }}>
          <button type="button" aria-expanded={s.open} onClick={() => p.onToggle(s.key)}>
            <Icon name={s.open ? "down" : "right"} />
            <span class="grid-title">{s.title}</span>
            <span class="dim">{integer(s.items.length)}{p.noun ? " " + p.noun : ""}</span>
          </button>
        </div>,
      );
      if (!rows) continue;
      const first = Math.max(0, Math.floor((from - at - HEAD) / (height + GAP)));
      const last = Math.min(rows - 1, Math.floor((to - at - HEAD) / (height + GAP)));
      for (let row = first; row <= last; row++) {
        for (let c = 0; c < across; c++) {
          const item = s.items[row * across + c];
          if (item === undefined) break;
          const x = PAD + c * (width + GAP);
          const y = at + HEAD + row * (height + GAP);
          shown.push(
            <div key={s.key + "\u0000" + p.keyOf(item)} class="grid-cell" style={{ transform: `translate(${x}px, ${y}px)`, width: width + "px", height: height + "px" }}>
              {p.render(item, width, height)}
            </div>,
          );
        }
      }
    }
  }

  // the keyboard may reach a card that lies half outside: bring it in. Not for the mouse: a page that moves between press
  // and release takes the click away.
  useEffect(() => {
    const e = root.current!;
    const seen = (ev: FocusEvent) => {
      const at = ev.target as HTMLElement;
      if (at.matches(":focus-visible")) at.closest(".grid-cell")?.scrollIntoView({ block: "nearest" });
    };
    e.addEventListener("focusin", seen);
    return () => e.removeEventListener("focusin", seen);
  }, []);

  return <div ref={root} class="grid" style={{ height: layout.total + "px" }}>{shown}</div>;
}
