/** Text that every HTTP library passes unchanged in a header: printable ASCII (RFC 9110, section 5.5). */
export const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** Whether the stores take the text: neither the null character nor half of a surrogate pair is in it. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
