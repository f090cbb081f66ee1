/** The items of a list that another one does not have. An item that stands in it twice is taken out once. */
export function without<T>(items: readonly T[], others: readonly T[], keyOf: (item: T) => string): T[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(keyOf(other), (left.get(keyOf(other)) ?? 0) + 1);
  return items.filter((item) => {
    const count = left.get(keyOf(item)) ?? 0;
    left.set(keyOf(item), count - 1);
    return count <= 0;
  });
}
