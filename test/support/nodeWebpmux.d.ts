/** The part of node-webpmux that the tests use; the package has no types. */
declare module 'node-webpmux' {
  interface Frame {
    readonly delay: number;
  }
  export const Image: {
    /** @param of.delay how long the frame is shown, in ms */
    generateFrame(of: { buffer: Buffer; delay: number }): Promise<Frame>;
    /** @param path null for a buffer @param of.loops 0 for ever */
    save(path: null, of: { frames: Frame[]; width: number; height: number; loops: number }): Promise<Buffer>;
  };
}
