import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { LaurelErrorDetail } from './index.ts';

// The types of all elements come along.
export type * from './index.ts';

type Names = Extract<keyof HTMLElementTagNameMap, `laurel-${string}`>;
/** Attributes of HTML, and the properties of the element. */
type Props<E> = DetailedHTMLProps<HTMLAttributes<E>, E> &
  Partial<Omit<E, keyof HTMLElement>> & {
    'onlaurel-error'?: (event: CustomEvent<LaurelErrorDetail>) => void;
    'onlaurel-change'?: (event: CustomEvent<{ data: object }>) => void;
  };
type Elements = { [Name in Names]: Props<HTMLElementTagNameMap[Name]> };

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
