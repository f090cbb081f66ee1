/** The requests of a server that are not answered yet, and whether their connections are to be closed. */
export class Requests {
  /** Received and not answered. */
  underWay = 0;
  /** Every answer closes its connection, so that clients go to another server before this one ends. */
  isDraining = false;
}
