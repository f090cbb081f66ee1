/** Columns whose part after the dot is a field of a user, or the key of an attribute. */
const NESTED = /^(user\.attributes|user|attributes)\.(.+)$/;

/** Where a column belongs: in the event, its user, or the attributes of either. */
interface Place {
  group: string | undefined;
  field: string;
}

/**
 * Makes the events of a file of CSV, as lines of NDJSON have them: the column `user.tz` is the field `tz` of
 * the user. An empty column is no field. The service checks the fields.
 */
export function eventMaker(columns: readonly string[]): (texts: readonly string[]) => object {
  const places = columns.map((column): Place => {
    const [, group, field = column] = NESTED.exec(column) ?? [];
    return { group, field };
  });
  return (texts) => eventOf(places, texts);
}

function eventOf(places: readonly Place[], texts: readonly string[]): object {
  const user: Record<string, unknown> = {};
  const event: Record<string, unknown> = { user };
  for (const [i, text] of texts.entries()) {
    if (text === '') continue;
    const { group, field } = places[i]!;
    if (group === 'user.attributes') place(user, 'attributes', field, text);
    else if (group === 'user') user[field] = text;
    else if (group === 'attributes') place(event, 'attributes', field, text);
    else event[field] = field === 'value' ? numberIn(text) : text;
  }
  return event;
}

function place(of: Record<string, unknown>, group: string, field: string, text: string): void {
  of[group] ??= {};
  (of[group] as Record<string, unknown>)[field] = text;
}

/** Anything else stays a text, which the service refuses. */
function numberIn(text: string): number | string {
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : text;
}
