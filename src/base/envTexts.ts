/** Environment variables that hold a text of a certain form. */

type Source = NodeJS.ProcessEnv;

export function headerName(source: Source, name: string, fallback: string): string {
  return matching(
    source,
    name,
    fallback,
    /^[a-z0-9-]+$/i,
    'the name of a header, of letters, digits and -',
  ).toLowerCase();
}

export function keyText(source: Source, name: string, fallback: string): string {
  return matching(source, name, fallback, /^[a-zA-Z\d_-]{1,50}$/, 'a key of letters, digits, - and _');
}

function matching(source: Source, name: string, fallback: string, form: RegExp, what: string): string {
  const text = source[name] || fallback;
  if (form.test(text)) return text;
  throw new Error(`${name} must be ${what}, not "${text}"`);
}
