/** What may stand in a header so that every HTTP library passes it on as it is (RFC 9110, 5.5). */
export const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;
