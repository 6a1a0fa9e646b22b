// In: the tags chosen for one chart. Out: a dialog that picks more, and a chart that is kept in the address.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { Dialog } from "../../widgets/Dialog";
import { Search } from "../../widgets/Field";
import { scalarTags } from "./cards";
import { multi } from "./options";

export const combining = signal<{ title: string; tags: string[]; from: string | null } | null>(null);
const SHOWN = 200;

export function Combine() {
  const start = combining.value!;
  const [chosen, setChosen] = useState(start.tags);
  const [title, setTitle] = useState(start.from ?? "");
  const [find, setFind] = useState("");
  const fits = scalarTags.value.filter((t) => t.tag.toLowerCase().includes(find.toLowerCase()));
  const close = () => (combining.value = null);
  const done = () => {
    const base = title.trim() || chosen.join(" + ").slice(0, 80);
    const others = multi.value.filter((m) => m.title !== start.from);
    let name = base;
    for (let i = 2; others.some((m) => m.title === name); i++) name = `${base} (${i})`;
    multi.value = [...others, { title: name, tags: chosen }];
    close();
  };
  return (
    <Dialog title="Several tags on one chart" onClose={close}>
      <div class="form">
        <label class="form-row"><span>Title</span><input type="text" value={title} placeholder={chosen.join(" + ").slice(0, 60)} onInput={(e) => setTitle(e.currentTarget.value)} /></label>
        <Search label="Find tags" value={find} placeholder="find tags" onChange={setFind} />
        <div class="pick-list" role="group" aria-label="Tags">
          {fits.slice(0, SHOWN).map((t) => (
            <label key={t.tag} class="pick">
              <input type="checkbox" checked={chosen.includes(t.tag)} onChange={(e) => setChosen(e.currentTarget.checked ? [...chosen, t.tag] : chosen.filter((c) => c !== t.tag))} />
              <span>{t.tag}</span>
            </label>
          ))}
          {fits.length > SHOWN && <p class="dim">{fits.length - SHOWN} more: type to narrow them down</p>}
        </div>
        <div class="form-end">
          <button type="button" class="button" onClick={close}>Cancel</button>
          <button type="button" class="button main" disabled={!chosen.length} onClick={done}>{start.from ? "Change" : "Make the chart"}</button>
        </div>
      </div>
    </Dialog>
  );
}
