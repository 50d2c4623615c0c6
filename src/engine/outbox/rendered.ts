/** What a message's facts become: the body of its comment, or word that it has none (yet). */
import type { Deps } from '../deps.ts';
import type { OutcomeView } from '../ports.ts';

/** `not_yet`: what it tells has not been seen to the end. null: there is nothing to say any more. */
export type Rendered = { body: string } | 'not_yet' | null;

/** `view`: the message. `merged`: what it tells besides its own; only outcomes do. The body begins with the message's marker. */
export type Gather = (deps: Deps, view: OutcomeView, merged: readonly OutcomeView[]) => Promise<Rendered>;
