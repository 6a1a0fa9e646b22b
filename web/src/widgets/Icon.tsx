// In: an icon's name. Out: a 16-pixel drawing in the text colour. Drawn here: no icon font, no request.

const PATHS = {
  pin: "M9.5 1.8 14.2 6.5 11 7.6 8.8 11.4 7.6 12.6 3.4 8.4 4.6 7.2 8.4 5zM5.2 10.8 1.8 14.2",
  expand: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
  download: "M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  refresh: "M13.5 8a5.5 5.5 0 1 1-1.8-4.1M13.5 1.5v3h-3",
  pause: "M5.5 3v10M10.5 3v10",
  play: "M4.5 2.8v10.4L13 8z",
  moon: "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9 13 13M3 13l1.1-1.1M11.9 4.1 13 3",
  runs: "M2 4h2M2 8h2M2 12h2M6.5 4H14M6.5 8H14M6.5 12H14",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  left: "M10 4 6 8l4 4",
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.4 10.4 14 14",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  table: "M2 3h12v10H2zM2 6.5h12M2 10h12M7 3v10",
  note: "M3 2.5h10v11H3zM5.5 6h5M5.5 9h5",
  trash: "M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z",
  edit: "M11 2.5 13.5 5 5.5 13 2.5 13.5 3 10.5z",
  tag: "M2.5 2.5h5L13.5 8.5l-5 5L2.5 7.5zM5 5h.01",
  link: "M6.5 9.5l3-3M7 4.5 8.5 3a3 3 0 0 1 4.5 4.5L11.5 9M9 11.5 7.5 13A3 3 0 0 1 3 8.5L4.5 7",
  fit: "M2 8h12M2 8l2.5-2.5M2 8l2.5 2.5M14 8l-2.5-2.5M14 8l-2.5 2.5",
  check: "M3 8.5 6.5 12 13 4.5",
  warn: "M8 2 14.5 13.5h-13zM8 6.5v3.5M8 12h.01",
  gear: "M8 5.8a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4",
  keys: "M1.5 4h13v8h-13zM4 6.5h.01M6.5 6.5h.01M9 6.5h.01M11.5 6.5h.01M4.5 9.5h7",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  const filled = name === "play";
  return (
    <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" fill={filled ? "currentColor" : "none"} stroke="currentColor" stroke-width={name === "more" ? 2.4 : 1.4} stroke-linecap="round" stroke-linejoin="round">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function IconButton(p: { name: IconName; label: string; on?: boolean; disabled?: boolean; onClick(e: MouseEvent): void; class?: string }) {
  return (
    <button type="button" class={`icon-button ${p.on ? "on" : ""} ${p.class ?? ""}`} title={p.label} aria-label={p.label} aria-pressed={p.on === undefined ? undefined : p.on} disabled={p.disabled} onClick={p.onClick}>
      <Icon name={p.name} />
    </button>
  );
}
