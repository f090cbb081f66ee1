/**
 * The text of a file in UTF-8, without its byte order mark.
 * @throws Error if the file is not UTF-8
 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new Error('the file is not UTF-8: save it with this encoding');
    }
  };
  for await (const chunk of bytes) yield decode(chunk);
  yield decode();
}
