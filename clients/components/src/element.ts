import type { LeaderboardResponseWithRankings, Operations } from 'laurel-client';
import { idOf, LIVE, type ReadInput, type Store } from 'laurel-client/store';
import { html, nothing, render, type TemplateResult } from 'lit-html';
import { advised, warnOf } from './advice.ts';
import { LaurelProvider, PROVIDED } from './provider.ts';
import { type Defaults, ReactiveElement } from './reactive.ts';
import { baseStyles } from './styles.ts';
import { type BuiltIn, languageOf, Words } from './words.ts';

export type ElementState = 'loading' | 'ready' | 'empty' | 'error';

/** Something to read. @typeParam T what laurel answers */
export interface Read<T> {
  /** As `idOf` makes it. */
  id: string;
  readonly answer?: T;
}
type Reads<Data> = { [K in keyof Data]: Read<Data[K]> };

/** An operation that reads. The store fills in the id of the user. */
export const read = <N extends keyof Operations>(
  operation: N,
  input: ReadInput = {},
): Read<Operations[N]['output']> => ({ id: idOf(operation, input) });

/** A leaderboard and its changes as they happen. */
export const watch = (
  key: string,
  query: Record<string, unknown>,
): Read<LeaderboardResponseWithRankings> => ({ id: idOf(LIVE, { path: { key }, query }) });

/** Detail of `laurel-error`. */
export interface LaurelErrorDetail {
  /** As in the table of errors of laurel, or `network`, `timeout`, `internal`. */
  code: string;
  error: Error;
}

const codeOf = (error: Error): string => (error as { code?: string }).code ?? 'internal';

/**
 * What all elements have: data of the provider, states, texts. The room of the placeholder stays reserved in
 * every state, so that nothing moves when data arrive.
 * @typeParam Data the answers that an element shows, by name
 */
export abstract class LaurelElement<Data extends object> extends ReactiveElement {
  static override readonly defaults: Defaults = { heading: null, headingLevel: 2 };
  static readonly styles: CSSStyleSheet[] = [baseStyles];
  /** The attribute without which there is nothing to show. */
  static readonly keyAttribute: string | null = null;

  /** In place of the heading of the element; an empty text for none. */
  declare heading: string | null;
  /** Level of the heading in the page, 1 to 6. */
  declare headingLevel: number;

  #provider: LaurelProvider | null = null;
  #store: Store | null = null;
  #ids: Partial<Record<keyof Data, string>> = {};
  #unsubscribe: (() => void)[] = [];
  #data: Data | null = null;
  #error: Error | null = null;
  #reported: { data: Data | null; error: Error | null } = { data: null, error: null };
  readonly #states = this.attachInternals().states;
  protected readonly root = this.attachShadow({ mode: 'open' });
  protected words!: Words;

  protected abstract readonly builtIn: BuiltIn;
  protected abstract reads(): Reads<Data>;
  /** Data of the same size as those that are awaited. */
  protected abstract placeholder(): Data;
  protected abstract isEmpty(data: Data): boolean;
  /** @internal */
  protected abstract view(data: Data): TemplateResult;
  /** Unless the page gives another one. @param data null until they are there */
  protected abstract headingOf(data: Data | null): string;
  /** Beside the heading. */
  protected summaryOf(_data: Data): string {
    return '';
  }
  protected storeOf(provider: LaurelProvider): Store | null {
    return provider.store;
  }

  /** The newest answers of laurel; null until they are there. */
  get data(): Data | null {
    return this.#data;
  }

  get state(): ElementState {
    if (this.#data !== null) return this.isEmpty(this.#data) ? 'empty' : 'ready';
    return this.#error === null ? 'loading' : 'error';
  }

  /** Reads everything again that this element shares with others. */
  async refresh(): Promise<void> {
    await this.#store?.refresh();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.root.adoptedStyleSheets = (this.constructor as typeof LaurelElement).styles;
    this.#provider = this.#findProvider();
    this.#provider?.addEventListener(PROVIDED, this.#onProvided);
  }

  disconnectedCallback(): void {
    this.#provider?.removeEventListener(PROVIDED, this.#onProvided);
    this.#leave();
  }

  readonly #onProvided = (): void => this.requestUpdate();

  #findProvider(): LaurelProvider | null {
    for (let node: Node | null = this; node !== null; ) {
      if (node instanceof LaurelProvider) return node;
      node = node.parentNode ?? (node instanceof ShadowRoot ? node.host : null);
    }
    return null;
  }

  /** What the page has to add before there is something to read. */
  get #missing(): string | null {
    const { keyAttribute } = this.constructor as typeof LaurelElement;
    if (this.#provider === null) return `<${this.localName}> needs a <laurel-provider> around it`;
    if (keyAttribute === null || this[keyAttribute as keyof this]) return null;
    return `<${this.localName}> needs the attribute ${keyAttribute}`;
  }

  #leave(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
    this.#store = null;
    this.#ids = {};
  }

  /** Subscribes to what the attributes name now. */
  #follow(): void {
    const store = this.#missing === null ? this.storeOf(this.#provider!) : null;
    const reads = Object.entries<Read<unknown>>(this.reads());
    const ids = Object.fromEntries(reads.map(([name, { id }]) => [name, id])) as Record<keyof Data, string>;
    if (store === this.#store && JSON.stringify(ids) === JSON.stringify(this.#ids)) return;
    // Before the old ones are left, so that data that stay are not read again.
    const added = store ? Object.values<string>(ids).map((id) => store.subscribe(id, this.#onProvided)) : [];
    this.#leave();
    this.#unsubscribe = added;
    this.#store = store;
    this.#ids = ids;
    this.#data = null;
  }

  #take(): void {
    const store = this.#store;
    if (store === null) {
      const missing = this.#missing;
      if (missing === null) this.#error = null;
      else if (this.#error?.message !== missing) this.#error = advised(new Error(missing), '');
      return;
    }
    const shown = Object.entries<string>(this.#ids as Record<string, string>).map(
      ([name, id]) => [name, store.shown(id)] as const,
    );
    this.#error = shown.find(([, { error }]) => error !== undefined)?.[1].error ?? null;
    if (shown.some(([, { data }]) => data === undefined)) return;
    const isNew = shown.some(([name, { data }]) => this.#data?.[name as keyof Data] !== data);
    if (isNew) this.#data = Object.fromEntries(shown.map(([name, { data }]) => [name, data])) as Data;
  }

  protected override update(): void {
    this.#follow();
    this.#take();
    const name = this.localName.replace(/^laurel-/, '');
    this.words = new Words(name, this.builtIn, languageOf(this), this.#provider?.texts ?? {});
    this.#states?.clear();
    this.#states?.add(this.state);
    render(this.#frame(), this.root);
    this.#report();
  }

  #report(): void {
    const before = this.#reported;
    const [data, error] = [this.#data, this.#error];
    this.#reported = { data, error };
    if (data !== null && data !== before.data) {
      this.changed(data, before.data);
      this.#dispatch('laurel-change', { data });
    }
    if (error === null) return;
    const code = codeOf(error);
    // Several reads may fail for the same reason.
    if (before.error !== null && code === codeOf(before.error)) return;
    this.#dispatch('laurel-error', { code, error } satisfies LaurelErrorDetail);
    warnOf(error, this.#provider);
  }

  /**
   * Id of the heading, which names the element.
   * @internal
   */
  protected get labelId(): string | typeof nothing {
    return this.heading === '' ? nothing : 'heading';
  }

  /** After new data are drawn. */
  protected changed(_data: Data, _before: Data | null): void {}

  #dispatch(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { bubbles: true, composed: true, detail }));
  }

  #frame(): TemplateResult {
    const { state, heading, words } = this;
    const isLoading = state === 'loading';
    const title = heading ?? this.headingOf(this.#data);
    const room = this.view(this.placeholder());
    return html`<section
      part="base"
      aria-labelledby=${this.labelId}
      aria-busy=${isLoading}
      lang=${words.language}
    >
      ${heading === '' ? nothing : this.#header(title)}
      <div class="stack">
        <div class=${isLoading ? 'room shown' : 'room'} inert aria-hidden="true">
          ${isLoading ? html`<slot name="loading">${room}</slot>` : room}
        </div>
        ${this.#front(state)}
      </div>
    </section>`;
  }

  #header(title: string): TemplateResult {
    const summary = this.state === 'ready' ? this.summaryOf(this.#data!) : '';
    // A heading that is not known yet is none, but keeps its line.
    return html`<header part="header">
      <div
        id="heading"
        part="heading"
        role=${title === '' ? nothing : 'heading'}
        aria-level=${title === '' ? nothing : this.headingLevel}
      >
        <slot name="heading"><bdi>${title || '\u00a0'}</bdi></slot>
      </div>
      <div part="summary">${summary}</div>
    </header>`;
  }

  #front(state: ElementState): TemplateResult {
    const { words } = this;
    if (state === 'ready') return html`<div class="front">${this.view(this.#data!)}</div>`;
    if (state === 'loading') return html`<span class="hidden">${words.text('loading')}</span>`;
    if (state === 'empty')
      return html`<div class="front message"><slot name="empty"><p part="message">${words.text('empty')}</p></slot></div>`;
    const isSignedOut = codeOf(this.#error!) === 'unauthorized';
    return html`<div class="front message" role="status"><slot name="error">
      <p part="message">${words.text(isSignedOut ? 'signedOut' : 'failed')}</p>
      <button part="retry" type="button" @click=${() => this.refresh()}>${words.text('retry')}</button>
    </slot></div>`;
  }
}
