import { LaurelError, type LaurelErrorCode } from 'laurel-client';
import { type SentEvent, Session, Store, subjectOf } from 'laurel-client/store';
import { advised, warn } from './advice.ts';
import { countOf, type Defaults, define, ReactiveElement } from './reactive.ts';
import type { TextsByLanguage } from './words.ts';

/** Reported to the elements inside when their data, their texts or their language may have changed. */
export const PROVIDED = 'laurel-provided';

const REFRESH_SECONDS = 60;
const REFRESH_SECONDS_MAX = 86_400;
/** Longest time in which a page may set `getToken` without a warning. */
const TOKENS_MS_MAX = 5_000;

const NO_TOKENS = '<laurel-provider> needs the attribute token-url or the property getToken';
const TOKEN_ADVICE = 'Check the attribute token-url, and that your backend answers a token there as text.';

/** Gives the elements inside it one connection, one token and one copy of the data. */
export class LaurelProvider extends ReactiveElement {
  static override readonly defaults: Defaults = {
    url: '',
    tokenUrl: null,
    getToken: null,
    tenant: null,
    refreshSeconds: REFRESH_SECONDS,
    texts: {},
  };

  /** Address of laurel; empty if the server of the page passes `/v1` on to laurel. */
  declare url: string;
  /** Path of your backend that answers a user token as text. */
  declare tokenUrl: string | null;
  /** Fetches a user token, instead of `tokenUrl`. Only a property. */
  declare getToken: (() => string | Promise<string>) | null;
  /** Your own id of the tenant, with multi-tenancy. */
  declare tenant: string | null;
  /** Seconds after which a visible page reads everything again; 0 for never. */
  declare refreshSeconds: number;
  /** Texts by language, element and name, which come before the built-in ones. */
  declare texts: TextsByLanguage;

  /** The data of the elements; null until the provider knows where tokens come from. */
  store: Store | null = null;
  /** Data that take long to read, so they are not read again by time. */
  reviewStore: Store | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  /** What the session was made of. */
  #source = '';
  readonly #languages = new MutationObserver(() => this.requestUpdate());

  static override get observedAttributes(): string[] {
    // biome-ignore lint/complexity/noThisInStatic: the attributes that the defaults of this class name
    return super.observedAttributes.filter((name) => name !== 'get-token');
  }

  /** Reads everything again, such as after your backend has recorded an event. */
  async refresh(): Promise<void> {
    await Promise.all([this.store?.refresh(), this.reviewStore?.refresh()]);
  }

  /**
   * Records an event of the user, which shows in all elements. Rejects with LaurelError. It needs a token with
   * the scope `read events`.
   */
  async record(metric: string, value = 1, options: Partial<Pick<SentEvent, 'body' | 'expected'>> = {}) {
    if (this.store === null) throw new Error(NO_TOKENS);
    return this.store.record({ metric, value, body: {}, expected: {}, ...options });
  }

  /** Forgets user and data, such as after another user has signed in. */
  restart(): void {
    this.#source = '';
    this.requestUpdate();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.style.display = 'contents';
    this.#languages.observe(document, { subtree: true, attributes: true, attributeFilter: ['lang'] });
    document.addEventListener('visibilitychange', this.#refreshIfVisible);
  }

  disconnectedCallback(): void {
    this.#languages.disconnect();
    document.removeEventListener('visibilitychange', this.#refreshIfVisible);
    clearInterval(this.#timer);
    clearTimeout(this.#waiting);
  }

  protected update(): void {
    const { url, tokenUrl, tenant, getToken, refreshSeconds } = this;
    // Another function fetches tokens of the same user.
    const source = JSON.stringify([url, tokenUrl, tenant, getToken !== null]);
    if (source !== this.#source) this.#open();
    this.#source = source;
    clearInterval(this.#timer);
    const seconds = countOf(refreshSeconds, 0, REFRESH_SECONDS_MAX);
    if (seconds > 0) this.#timer = setInterval(this.#refreshIfVisible, seconds * 1_000);
    this.dispatchEvent(new Event(PROVIDED));
  }

  #open(): void {
    const { url, tenant } = this;
    const getToken = (): Promise<string> => this.#fetchToken();
    const hasTokens = this.tokenUrl !== null || this.getToken !== null;
    const session = hasTokens ? new Session({ url, getToken, ...(tenant !== null && { tenant }) }) : null;
    this.store = session && new Store(session);
    this.reviewStore = session && new Store(session);
    clearTimeout(this.#waiting);
    if (session === null) this.#waiting = setTimeout(warn, TOKENS_MS_MAX, NO_TOKENS);
  }

  readonly #refreshIfVisible = (): void => {
    if (document.visibilityState === 'visible') void this.store?.refresh();
  };

  async #fetchToken(): Promise<string> {
    if (this.getToken !== null) return this.getToken();
    const url = this.tokenUrl!;
    const refuse = (what: string, code: LaurelErrorCode, status = 0): never => {
      throw advised(
        new LaurelError(`${url} ${what}`, { code, status }),
        status === 401 ? null : TOKEN_ADVICE,
      );
    };
    const answer = await fetch(url).catch(() => refuse('could not be reached', 'network'));
    const { ok, status } = answer;
    if (!ok) refuse(`answered ${status}`, status === 401 ? 'unauthorized' : 'unavailable', status);
    const token = (await answer.text()).trim();
    return subjectOf(token) === null ? refuse('did not answer a token of a user', 'unauthorized') : token;
  }
}

define('laurel-provider', LaurelProvider);

declare global {
  interface HTMLElementTagNameMap {
    'laurel-provider': LaurelProvider;
  }
}
