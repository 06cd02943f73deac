interface JSON {
  /** A JSON text that `JSON.stringify` writes unchanged (ECMAScript "JSON.parse source text access"). */
  rawJSON(text: string): { rawJSON: string };
}
