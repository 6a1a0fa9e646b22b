// In: one run or several. Out: the menu and the dialog that rename, note, label, hide and trash them. The event files are
// never touched: the board keeps this beside them, and says no with --read_only.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { editRuns, info } from "../data/board";
import { inReport } from "../api/report";
import type { Run } from "../api/types";
import { SLOT_COUNT, slotColour } from "../base/colour";
import { choose, setOn, theme } from "../data/runs";
import { Dialog } from "./Dialog";
import { Icon } from "./Icon";
import { Menu, MenuItem } from "./Menu";

export const editing = signal<Run | null>(null);
export const mayEdit = () => !inReport && !info.value?.read_only;

export function RunMenu({ run }: { run: Run }) {
  const can = mayEdit();
  return (
    <Menu label={`More for run ${run.name}`} face={<Icon name="more" />}>
      {(close) => {
        const then = (f: () => void) => () => { close(); f(); };
        return (
          <>
            <MenuItem onClick={then(() => choose(new Set([run.id])))}>Show only this run</MenuItem>
            <MenuItem onClick={then(() => setOn([run.id], false))}>Switch it off</MenuItem>
            <hr />
            {can ? (
              <>
                <MenuItem onClick={then(() => (editing.value = run))}>Name, note, colour …</MenuItem>
                <MenuItem onClick={then(() => void editRuns([run.id], { pinned: !run.pinned }))}>{run.pinned ? "Unpin" : "Pin to the top"}</MenuItem>
                <MenuItem onClick={then(() => void editRuns([run.id], { hidden: !run.hidden }))}>{run.hidden ? "Show again" : "Hide"}</MenuItem>
                <MenuItem onClick={then(() => void editRuns([run.id], { trashed: !run.trashed }))}>{run.trashed ? "Restore" : "Move to trash"}</MenuItem>
              </>
            ) : <div class="menu-label">{inReport ? "A report cannot be edited" : "The board is read-only"}</div>}
          </>
        );
      }}
    </Menu>
  );
}

export function EditRun() {
  const run = editing.value!;
  const [name, setName] = useState(run.name);
  const [note, setNote] = useState(run.note);
  const [labels, setLabels] = useState(run.labels.join(", "));
  const [colour, setColour] = useState(run.colour);
  const close = () => (editing.value = null);
  const save = (e: Event) => {
    e.preventDefault();
    const list = [...new Set(labels.split(",").map((s) => s.trim()).filter(Boolean))];
    void editRuns([run.id], { name: name.trim() && name.trim() !== run.id ? name.trim() : null, note, labels: list, ...(colour === run.colour ? {} : { colour }) });
    close();
  };
  return (
    <Dialog title={`Run ${run.id}`} onClose={close}>
      <form class="form" onSubmit={save}>
        <label class="form-row"><span>Name</span><input type="text" maxLength={200} value={name} onInput={(e) => setName(e.currentTarget.value)} /></label>
        <label class="form-row"><span>Labels</span><input type="text" value={labels} placeholder="baseline, paper" onInput={(e) => setLabels(e.currentTarget.value)} /></label>
        <label class="form-row"><span>Note</span><textarea rows={6} maxLength={20000} value={note} onInput={(e) => setNote(e.currentTarget.value)} /></label>
        <fieldset class="colours">
          <legend>Colour</legend>
          {Array.from({ length: SLOT_COUNT }, (_, i) => (
            <label key={i} class={colour % SLOT_COUNT === i ? "on" : ""} style={{ background: slotColour(i, theme.value) }}>
              <input type="radio" class="sr" name="colour" aria-label={`Colour ${i + 1}`} checked={colour % SLOT_COUNT === i} onChange={() => setColour(i)} />
            </label>
          ))}
        </fieldset>
        <p class="dim">Kept beside the log; the event files are never touched.</p>
        <div class="form-end">
          <button type="button" class="button" onClick={close}>Cancel</button>
          <button type="submit" class="button main">Save</button>
        </div>
      </form>
    </Dialog>
  );
}
