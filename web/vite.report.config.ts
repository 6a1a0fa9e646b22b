// Builds the page once more as one file, dist/report.html: script, style and worker inside, for a report without a server.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

const OUT = "dist/.report";

/** The worker must be inside the script too: a file has no other file beside it. */
const inlineWorkers: Plugin = {
  name: "inline-workers",
  enforce: "pre",
  async resolveId(source, importer) {
    return source.endsWith("?worker") ? this.resolve(source + "&inline", importer, { skipSelf: true }) : null;
  },
};

const POLICY = "default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; base-uri 'none'; form-action 'none'";

const oneFile: Plugin = {
  name: "one-file",
  closeBundle() {
    let html = readFileSync(join(OUT, "index.html"), "utf8");
    // a function as replacement: a string's "$&" would be expanded, and scripts contain it
    html = html.replace(/<link rel="stylesheet"[^>]*href="\.\/([^"]+)"[^>]*>/, (_, f) => `<style>${readFileSync(join(OUT, f), "utf8")}</style>`);
    let script = "";
    html = html.replace(/<script type="module"[^>]*src="\.\/([^"]+)"[^>]*><\/script>/, (_, f) => {
      script = readFileSync(join(OUT, f), "utf8").replace(/<\/script/g, "<\\/script").replace(/<!--/g, "<\\!--");
      return "";
    });
    html = html.replace(/<link rel="icon"[^>]*>/, "").replace("<!--milepost-boot-->", `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
    // after the data, so that it is there when the script starts
    html = html.replace("</body>", () => `<!--milepost-report-->\n<script type="module">${script}</script>\n</body>`);
    writeFileSync("dist/report.html", html);
    rmSync(OUT, { recursive: true });
  },
};

export default defineConfig({
  base: "./",
  plugins: [inlineWorkers, oneFile],
  publicDir: false,
  build: {
    target: "es2022",
    outDir: OUT,
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: { output: { codeSplitting: false } },
  },
  worker: { format: "iife" },
});
