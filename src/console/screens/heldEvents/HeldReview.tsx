import { useEffect, useRef, useState } from 'preact/hooks';
import { TEXT_CHARS_MAX } from '../../../base/limits.ts';
import type { ListedHeldEvent } from '../../../contract/heldEvents.ts';
import { formatNumber } from '../../text/format.ts';
import { plural, t } from '../../text/translate.ts';
import { Instant } from '../../ui/Instant.tsx';
import { ErrorMessage } from '../../ui/Loading.tsx';
import { useLetters } from '../../ui/letterKeys.ts';
import { Card } from '../../ui/Page.tsx';
import { ReasonButton } from '../../ui/ReasonForm.tsx';
import { Facts } from '../../ui/Tiles.tsx';
import { useAction } from '../../ui/useAction.ts';
import { undoEvent } from '../users/undoEvent.tsx';
import { UserLink } from '../users/userAddress.tsx';
import { decideOne } from './decideHeld.ts';
import { GUARDS, titleOf, VERBS, type Verb } from './heldText.ts';

/** Latest decisions that are listed. */
const DECISIONS_SHOWN = 5;

interface Decision {
  verb: Verb;
  event: ListedHeldEvent;
}

interface HeldReviewProps {
  events: readonly ListedHeldEvent[];
  /** Place of the current event in the list. */
  at: number;
  /** Whether more events wait than are listed. */
  hasMore: boolean;
  /** The name of a metric. */
  nameOf(metric: string): string;
  /** Makes another event the current one. */
  onMove(event: ListedHeldEvent): void;
  /** Reads the list again. */
  onDecided(): Promise<void>;
}

/** Events one at a time, by buttons or letters. One reason is for all decisions until it is changed. */
export function HeldReview({ events, at, hasMore, nameOf, onMove, onDecided }: HeldReviewProps) {
  const [reason, setReason] = useState('');
  const [decided, setDecided] = useState<Decision[]>([]);
  const field = useRef<HTMLInputElement>(null);
  const { run, error, isRunning } = useAction();
  const event = events[at]!;
  useEffect(() => {
    document.querySelector('tr[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [event.id]);
  const move = (by: number): void => onMove(events[(at + by + events.length) % events.length]!);
  const decide = (verb: Verb): void => {
    if (isRunning) return;
    if (reason.trim() === '') {
      field.current?.focus();
      return;
    }
    void run(async () => {
      await decideOne(verb, event.id, reason.trim());
      setDecided((earlier) => [{ verb, event }, ...earlier]);
      move(1);
      await onDecided();
    });
  };
  useLetters({ a: () => decide('approve'), r: () => decide('reject'), j: () => move(1), k: () => move(-1) });
  return (
    <Card
      title={t('Review one by one')}
      note={positionText(at + 1, events.length, { hasMore, decided: decided.length })}
    >
      {decided.length > 0 && (
        <progress
          aria-label={t('Decided events')}
          value={decided.length}
          max={decided.length + events.length}
        />
      )}
      <EventFacts event={event} metric={nameOf(event.metric)} />
      <div class="field">
        <label for="review-reason">{t('Reason')}</label>
        <input
          ref={field}
          id="review-reason"
          value={reason}
          maxLength={TEXT_CHARS_MAX}
          aria-describedby="review-note"
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
        />
        <span class="soft small" id="review-note">
          {t('For each decision until you change it. Press Enter, then the letters.')}
        </span>
      </div>
      <ErrorMessage text={error} />
      <div class="row">
        {(['approve', 'reject'] as const).map((verb) => (
          <KeyButton
            key={verb}
            letter={verb.charAt(0)}
            label={VERBS[verb].current}
            onClick={() => decide(verb)}
          />
        ))}
        <KeyButton letter="j" label={t('Next')} onClick={() => move(1)} />
        <KeyButton letter="k" label={t('Previous')} onClick={() => move(-1)} />
      </div>
      {decided.length > 0 && <Decisions decided={decided} nameOf={nameOf} />}
    </Card>
  );
}

interface Queue {
  hasMore: boolean;
  /** Number of decided events. */
  decided: number;
}

/** "1 of more than 50 events, 3 decided." */
function positionText(at: number, n: number, { hasMore, decided }: Queue): string {
  if (decided === 0)
    return hasMore
      ? plural(n, '{at} of more than {n} event.', '{at} of more than {n} events.', { at })
      : plural(n, '{at} of {n} event.', '{at} of {n} events.', { at });
  return hasMore
    ? plural(
        n,
        '{at} of more than {n} event, {decided} decided.',
        '{at} of more than {n} events, {decided} decided.',
        { at, decided },
      )
    : plural(n, '{at} of {n} event, {decided} decided.', '{at} of {n} events, {decided} decided.', {
        at,
        decided,
      });
}

function EventFacts({ event, metric }: { event: ListedHeldEvent; metric: string }) {
  const { userId, userName, value, guard, timestamp, heldAt, attributes } = event;
  return (
    <Facts
      facts={[
        [t('User'), <UserLink key="user" id={userId} name={userName} />],
        [metric, <strong key="value">{formatNumber(value)}</strong>],
        ...(guard ? [[t('Held because'), GUARDS[guard]] as [string, string]] : []),
        [t('Time'), <Instant key="time" at={timestamp} />],
        ...(timestamp === heldAt
          ? []
          : [[t('Sent'), <Instant key="sent" at={heldAt} />] as [string, preact.ComponentChildren]]),
        ...Object.entries(attributes),
      ]}
    />
  );
}

function KeyButton({ letter, label, onClick }: { letter: string; label: string; onClick(): void }) {
  return (
    <button type="button" aria-keyshortcuts={letter} onClick={onClick}>
      {label} <kbd>{letter}</kbd>
    </button>
  );
}

interface DecisionsProps {
  decided: readonly Decision[];
  nameOf(metric: string): string;
}

/** Latest decisions. An approved event can be undone like any other one; a rejection is final. */
function Decisions({ decided, nameOf }: DecisionsProps) {
  return (
    <ul class="stack" aria-label={t('Latest decisions')}>
      {decided.slice(0, DECISIONS_SHOWN).map(({ verb, event }) => (
        <li class="row small" key={event.id}>
          {VERBS[verb].past}: {titleOf(event, nameOf(event.metric))}
          {verb === 'approve' && event.value > 0 && (
            <ReasonButton
              class="quiet"
              aria-label={t('Undo: {event}', { event: titleOf(event, nameOf(event.metric)) })}
              of={undoEvent(
                { user: { id: event.userId, name: event.userName }, eventId: event.id },
                nameOf(event.metric),
              )}
              onDone={() => {}}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
