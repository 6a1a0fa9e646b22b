// In: a title and content. Out: the browser's own modal dialog: focus stays inside, Escape closes, the rest is inert.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "./Icon";

export function Dialog(p: { title: string; onClose(): void; full?: boolean; actions?: ComponentChildren; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const e = box.current!;
    e.showModal();
    return () => e.close();
  }, []);
  return (
    <dialog ref={box} class={p.full ? "full" : ""} aria-label={p.title} onCancel={(e) => { e.preventDefault(); p.onClose(); }}
      onClick={(e) => { if (e.target === box.current) p.onClose(); }}>
      <div class="dialog-body">
        <header class="dialog-head">
          <h2>{p.title}</h2>
          <div class="actions">{p.actions}<IconButton name="close" label="Close (Escape)" onClick={p.onClose} /></div>
        </header>
        {p.children}
      </div>
    </dialog>
  );
}
