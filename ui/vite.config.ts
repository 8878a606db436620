// Two builds of the same page: for the server in small files that are fetched when needed, and (mode report) as one
// file that opens from disk. `npm run build` makes both, in dist.

import { defineConfig, type Plugin } from "vite";

/** Where the server puts the answers of a report. */
const PLACE = "<!--report-->";

/** The page reads nothing but itself. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";

/** Puts scripts and styles into the html, as report.html. */
function oneFile(): Plugin {
  return {
    name: "one-file",
    generateBundle: {
      // Vite has changed the scripts by then.
      order: "post",
      handler(_, bundle) {
        const html = bundle["index.html"];
        if (html?.type !== "asset") throw new Error("the build has no index.html");
        let text = String(html.source).replace(/\s*<(?:script|link)\b[^>]*(?:src|href)="\.\/[^>]*>(?:<\/script>)?/g, "");
        const put = (before: string, part: string) => {
          const at = text.indexOf(before);
          if (at < 0) throw new Error(`index.html has no ${before}`);
          text = `${text.slice(0, at)}${part}\n${text.slice(at)}`;
        };
        put("<title>", `<meta http-equiv="Content-Security-Policy" content="${POLICY}" />`);
        for (const [name, file] of Object.entries(bundle)) {
          delete bundle[name];
          if (file.type === "asset" && name.endsWith(".css")) put("</head>", `<style>${file.source}</style>`);
          if (file.type !== "chunk") continue;
          // What would end the script, or start a comment in it, can only be inside of a text.
          const code = file.code.replaceAll("</script", "<\\/script").replaceAll("<!--", "\\x3c!--");
          put("</body>", `${PLACE}\n<script type="module">${code}</script>`);
        }
        this.emitFile({ type: "asset", fileName: "report.html", source: text });
      },
    },
  };
}

export default defineConfig(({ mode }) => {
  const isReport = mode === "report";
  return {
    base: "./",
    plugins: isReport ? [oneFile()] : [],
    build: {
      // All that know light-dark(), which the colours are written with.
      target: ["chrome123", "firefox120", "safari17.5"],
      outDir: "dist",
      emptyOutDir: !isReport,
      assetsInlineLimit: 0,
      cssCodeSplit: !isReport,
      modulePreload: isReport ? false : { polyfill: false },
      rolldownOptions: isReport ? { output: { codeSplitting: false } } : {},
    },
  };
});
