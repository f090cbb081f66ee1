/**
 * What uWebSockets.js sends as UTF-8. Its build for Node 24 sends a string of which V8 keeps a byte per
 * character as these bytes, so that "ë" goes out as ISO 8859-1 and breaks JSON. ASCII is the same in both,
 * and bytes go out as they are.
 */
export function responseText(text: string): string | Buffer {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text);
}
