/** Continues with a value: at once, unless it is a promise. */
export function whenKnown<T, R>(value: T | Promise<T>, next: (known: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
