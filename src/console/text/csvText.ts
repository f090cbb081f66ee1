/** A text that a spreadsheet would take for a formula gets an apostrophe in front, as in files of the API. */
const quoted = (text: string): string =>
  `"${(/^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/** Rows as a file: texts are quoted, numbers are not. */
export const csvText = (rows: readonly (readonly (string | number)[])[]): string =>
  rows
    .map((row) => `${row.map((value) => (typeof value === 'number' ? value : quoted(value))).join(',')}\n`)
    .join('');
