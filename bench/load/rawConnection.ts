import { connect, type Socket } from 'node:net';

/**
 * A kept connection that sends prepared requests and awaits each answer. It costs a fraction of an HTTP
 * client.
 */
export class RawConnection {
  readonly #socket: Socket;
  #text = '';
  #onAnswer: ((status: number) => void) | null = null;

  private constructor(socket: Socket, onError: (error: Error) => void) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#receive(chunk.toString('latin1')));
    socket.on('error', onError);
    socket.on('close', () => this.#onAnswer && onError(new Error('the server closed a connection')));
  }

  static open(url: string, onError: (error: Error) => void): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawConnection(socket, onError));
      });
    });
  }

  send(request: string, onAnswer: (status: number) => void): void {
    this.#onAnswer = onAnswer;
    this.#socket.write(request);
  }

  #receive(text: string): void {
    this.#text += text;
    const end = answerEnd(this.#text);
    if (end === null) return;
    const status = Number(this.#text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    const onAnswer = this.#onAnswer!;
    this.#text = this.#text.slice(end);
    this.#onAnswer = null;
    onAnswer(status);
  }

  close(): void {
    this.#onAnswer = null;
    this.#socket.destroy();
  }
}

const HEAD_END = '\r\n\r\n';

/** Where the first answer of the text ends; null if it is not complete. */
function answerEnd(text: string): number | null {
  const headEnd = text.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1];
  if (length === undefined) throw new Error('an answer has no Content-Length');
  const end = headEnd + HEAD_END.length + Number(length);
  return text.length < end ? null : end;
}
