// Builds the page into dist/: relative addresses only, so that it works under any --path_prefix.
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // a data: URL would need a wider content security policy
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 300,
    rolldownOptions: {
      output: {
        // one file for what every page needs: twenty small ones would be twenty requests before the first chart
        codeSplitting: {
          groups: [{ name: "core", test: /src[\\/](base|api|widgets|chart[\\/](?!raster|orbit)|app|data[\\/](?!local))|views[\\/]scalars|node_modules[\\/](preact|@preact)|preload-helper|vite/ }],
        },
      },
    },
  },
  worker: { format: "es" },
  server: { proxy: { "/api": "http://127.0.0.1:6006" } },
});
