/** Marks the rejection of a promise as handled until it is awaited. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
