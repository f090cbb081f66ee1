/**
 * Rows as CSV (RFC 4180): a line of names, then one of values for each row. Fields of objects inside are
 * named `outer.inner`; lists inside become one column for each item, numbered from 0.
 */
export function writeCsv(rows: readonly object[]): string {
  const flat = rows.map(flatten);
  const names = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  const lines = [names, ...flat.map((row) => names.map((name) => row.get(name) ?? ''))];
  return lines.map((values) => `${values.map(quote).join(',')}\r\n`).join('');
}

function flatten(row: object): Map<string, string> {
  const values = new Map<string, string>();
  const add = (name: string, value: unknown): void => {
    if (value === null || value === undefined) values.set(name, '');
    else if (value instanceof Date) values.set(name, value.toISOString());
    else if (typeof value === 'object')
      for (const [key, inner] of Object.entries(value)) add(`${name}.${key}`, inner);
    else values.set(name, String(value));
  };
  for (const [name, value] of Object.entries(row)) add(name, value);
  return values;
}

/** A text that a spreadsheet would take for a formula gets an apostrophe in front. */
function quote(text: string): string {
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
