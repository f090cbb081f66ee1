import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { nameList } from '../authentication/headerText.ts';
import type { HttpContext } from './respond.ts';

/** Headers that every call may carry. */
const HEADERS = 'Content-Type, X-API-KEY, Authorization, Idempotency-Key, Prefer, Tenant-ID, X-Request-Id';
/** Headers in which official clients describe themselves; each release may send others. */
const CLIENT_HEADER = /^x-(fern|sdk)-[a-z0-9-]{1,50}$/;
const CLIENT_HEADERS_MAX = 20;
const METHODS = 'GET, POST, PUT, PATCH';
const PREFLIGHT_SECONDS = '86400';

/** The web pages that may call the Application API from a browser (LAUREL_CORS_ORIGINS); none by default. */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  /** @param origins such as https://app.example; "*" stands for any */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  get isOn(): boolean {
    return this.#origins.size > 0;
  }

  /** Allows the calling page to read the response, also an error. */
  admit(context: HttpContext, req: HttpRequest): void {
    if (!this.isOn) return;
    const origin = this.#allowed(req);
    if (origin !== null) context.allowOrigin(origin);
  }

  preflight(res: HttpResponse, req: HttpRequest): void {
    const origin = this.#allowed(req);
    res.cork(() => {
      res.writeStatus('204 No Content').writeHeader('Vary', 'Origin');
      if (origin !== null) {
        res
          .writeHeader('Access-Control-Allow-Origin', origin)
          .writeHeader('Access-Control-Allow-Methods', METHODS);
        res
          .writeHeader(
            'Access-Control-Allow-Headers',
            allowedHeaders(req.getHeader('access-control-request-headers')),
          )
          .writeHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
      }
      res.endWithoutBody();
    });
  }

  #allowed(req: HttpRequest): string | null {
    if (this.#origins.has('*')) return '*';
    const origin = req.getHeader('origin');
    return this.#origins.has(origin) ? origin : null;
  }
}

/** The headers that every call may carry, and the client headers that the browser asks for. */
function allowedHeaders(asked: string): string {
  const names = asked.split(',', CLIENT_HEADERS_MAX).map((name) => name.trim().toLowerCase());
  const allowed = names.filter((name) => CLIENT_HEADER.test(name));
  return allowed.length === 0 ? HEADERS : `${HEADERS}, ${nameList(allowed)}`;
}
