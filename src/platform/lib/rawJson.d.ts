interface JSON {
  /** A JSON text that `JSON.stringify` writes as it is (ECMAScript "JSON.parse source text access"). */
  rawJSON(text: string): { rawJSON: string };
}
