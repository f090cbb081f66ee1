/** Properties of an element with their defaults. An attribute is parsed as the type of its default. */
export type Defaults = Record<string, string | number | object | null>;

/** A style sheet that all elements of a kind share. */
export function css([text]: TemplateStringsArray): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text!);
  return sheet;
}

const attributeOf = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function parse(text: string | null, fallback: unknown): unknown {
  if (text === null) return fallback;
  if (typeof fallback === 'number') return Number(text);
  return typeof fallback === 'object' && fallback !== null ? JSON.parse(text) : text;
}

/** An element that is updated once after any number of changes of its attributes and properties. */
export abstract class ReactiveElement extends HTMLElement {
  static readonly defaults: Defaults = {};
  #isPending = false;

  static get observedAttributes(): string[] {
    // biome-ignore lint/complexity/noThisInStatic: each class has its own defaults
    return Object.keys(this.defaults).map(attributeOf);
  }

  constructor() {
    super();
    for (const [name, fallback] of Object.entries(this.#defaults)) {
      // A page may have set the property before the element was defined.
      let value = (this as Record<string, unknown>)[name] ?? fallback;
      Object.defineProperty(this, name, {
        configurable: true,
        enumerable: true,
        get: () => value,
        set: (next: unknown) => {
          if (next === value) return;
          value = next ?? fallback;
          this.requestUpdate();
        },
      });
    }
  }

  get #defaults(): Defaults {
    return (this.constructor as typeof ReactiveElement).defaults;
  }

  attributeChangedCallback(attribute: string, _before: string | null, text: string | null): void {
    const name = Object.keys(this.#defaults).find((property) => attributeOf(property) === attribute)!;
    (this as Record<string, unknown>)[name] = parse(text, this.#defaults[name]);
  }

  connectedCallback(): void {
    this.requestUpdate();
  }

  requestUpdate(): void {
    if (this.#isPending) return;
    this.#isPending = true;
    queueMicrotask(() => {
      this.#isPending = false;
      if (this.isConnected) this.update();
    });
  }

  /** Draws what the attributes and properties say now. */
  protected abstract update(): void;
}

/** A count that an attribute gave, made valid. */
export const countOf = (given: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, Math.trunc(given) || 0));

/** Makes an element known, unless another copy of this program has done it. */
export function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element);
}
