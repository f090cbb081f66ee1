/** Text that every HTTP library passes unchanged in a header: printable ASCII (RFC 9110, section 5.5). */
export const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;
