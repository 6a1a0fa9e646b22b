// In: what is missing and what to do about it. Out: the quiet page that stands where nothing can be shown yet.

import type { ComponentChildren } from "preact";

export function Empty(p: { title: string; children?: ComponentChildren; code?: string }) {
  return (
    <div class="empty">
      <div class="empty-mark" aria-hidden="true">◇</div>
      <h2>{p.title}</h2>
      {p.children && <div class="empty-text">{p.children}</div>}
      {p.code && <pre tabIndex={0}><code>{p.code}</code></pre>}
    </div>
  );
}

export function ErrorCard({ message }: { message: string }) {
  return <div class="error-card" role="status"><span aria-hidden="true">⚠</span> {message}</div>;
}
