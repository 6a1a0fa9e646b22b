// In: markdown from a log, which anybody may have written. Out: harmless HTML: no script, no style, no form, no picture from
// elsewhere, HTML as text; links open elsewhere and do not tell where they were.

import DOMPurify from "dompurify";
import { Marked } from "marked";

const escapeHtml = (s: string) => s.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
// HTML inside the markdown stays the text it was; what marked itself makes is sanitised all the same
const marked = new Marked({ gfm: true, breaks: false, async: false, renderer: { html: ({ text }) => escapeHtml(text) } });
const TAGS = ["a", "b", "blockquote", "br", "code", "del", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "input", "kbd", "li", "ol", "p", "pre", "s", "span", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul"];
const MAX = 400_000;

const purify = DOMPurify(window);
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
  if (node.tagName === "IMG" && !/^data:image\/(png|jpeg|gif|webp);/i.test(node.getAttribute("src") ?? "")) {
    const words = document.createElement("span");
    words.textContent = `[picture: ${node.getAttribute("alt") || node.getAttribute("src") || "no source"}]`;
    node.replaceWith(words);
  }
  // task lists are the only form control of markdown, and stay as they were written
  if (node.tagName === "INPUT") {
    if (node.getAttribute("type") !== "checkbox") node.remove();
    else node.setAttribute("disabled", "");
  }
});

export function toFragment(text: string): DocumentFragment {
  const cut = text.length > MAX ? text.slice(0, MAX) + "\n\n… (cut)" : text;
  const html = marked.parse(cut) as string;
  return purify.sanitize(html, { ALLOWED_TAGS: TAGS, ALLOWED_ATTR: ["href", "title", "alt", "src", "colspan", "rowspan", "align", "type", "checked", "disabled", "start"], ALLOW_DATA_ATTR: false, ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#|data:image\/(?:png|jpeg|gif|webp);)/i, RETURN_DOM_FRAGMENT: true });
}
