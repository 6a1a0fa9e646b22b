// In: a button's face and the entries. Out: a menu that opens under it, in reach of the keyboard, closed by Escape or a click
// elsewhere. It is a popover: it lies above everything, dialogs included, and no card can cut it off.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface MenuProps {
  label: string;
  face: ComponentChildren;
  class?: string;
  /** given `close`; buttons inside with class "menu-item" are walked with the arrow keys */
  children(close: () => void): ComponentChildren;
}

export function Menu(p: MenuProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const close = (refocus = true) => {
    setOpen(false);
    if (refocus) button.current?.focus();
  };

  useLayoutEffect(() => {
    const e = panel.current;
    if (!open || !e) return;
    e.showPopover();
    const b = button.current!.getBoundingClientRect();
    const { width, height } = e.getBoundingClientRect();
    e.style.left = Math.max(4, Math.min(b.left, innerWidth - width - 4)) + "px";
    e.style.top = (b.bottom + 4 + height > innerHeight ? Math.max(4, b.top - height - 4) : b.bottom + 4) + "px";
    e.querySelector<HTMLElement>(".menu-item, input, select, textarea")?.focus();
  }, [open]);

  useEffect(() => {
    if (!open) return;
    const outside = (e: PointerEvent) => {
      if (!panel.current?.contains(e.target as Node) && !button.current?.contains(e.target as Node)) close(false);
    };
    const away = (e: Event) => { if (!panel.current?.contains(e.target as Node)) close(false); };
    addEventListener("pointerdown", outside, true);
    addEventListener("scroll", away, true);
    return () => {
      removeEventListener("pointerdown", outside, true);
      removeEventListener("scroll", away, true);
    };
  }, [open]);

  const onKey = (e: KeyboardEvent) => {
    if (e.key === "Escape") { e.stopPropagation(); close(); return; }
    if (e.key !== "ArrowDown" && e.key !== "ArrowUp") return;
    const items = [...panel.current!.querySelectorAll<HTMLElement>(".menu-item:not([disabled])")];
    if (!items.length) return;
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + (e.key === "ArrowDown" ? 1 : -1) + items.length) % items.length].focus();
    e.preventDefault();
  };

  return (
    <span class="menu">
      <button ref={button} type="button" class={p.class ?? "icon-button"} title={p.label} aria-label={p.label} aria-haspopup="true" aria-expanded={open} onClick={() => setOpen(!open)}>
        {p.face}
      </button>
      {open && (
        <div ref={panel} popover="manual" class="menu-panel" role="group" aria-label={p.label} onKeyDown={onKey}>
          {p.children(() => close())}
        </div>
      )}
    </span>
  );
}

export function MenuItem(p: { onClick(): void; children: ComponentChildren; on?: boolean; disabled?: boolean }) {
  return (
    <button type="button" class={`menu-item ${p.on ? "on" : ""}`} aria-pressed={p.on} disabled={p.disabled} onClick={p.onClick}>
      {p.children}
    </button>
  );
}
