// In: a colour and a dash pattern. Out: the short stroke that stands for a line wherever it is named.

export function Swatch({ colour, dash }: { colour: string; dash: number[] }) {
  return (
    <svg class="swatch" width="16" height="10" viewBox="0 0 16 10" aria-hidden="true">
      <line x1="1" y1="5" x2="15" y2="5" stroke={colour} stroke-width="3" stroke-dasharray={dash.length ? dash.join(" ") : undefined} stroke-linecap={dash.length ? "butt" : "round"} />
    </svg>
  );
}
