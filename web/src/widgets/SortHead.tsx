// In: a column and the present order. Out: a table head that sorts by it, and says so to a screen reader.

export interface Sorting<K> {
  by: K;
  down: boolean;
}

export function SortHead<K>(p: { name: string; column: K; sort: Sorting<K>; onSort(s: Sorting<K>): void; left?: boolean; title?: string }) {
  const on = p.sort.by === p.column;
  return (
    <th scope="col" class={p.left ? "left" : ""} aria-sort={on ? (p.sort.down ? "descending" : "ascending") : undefined}>
      <button type="button" title={p.title} onClick={() => p.onSort({ by: p.column, down: on ? !p.sort.down : false })}>
        {p.name}<span class="arrow" aria-hidden="true">{on ? (p.sort.down ? "↓" : "↑") : ""}</span>
      </button>
    </th>
  );
}
