// Why a result is what it is, in sentences of what was done for it.

import { suspicions, unidentified } from './words.js';

const records = { confirmed: 'a record of it that a person has confirmed', imported: 'an imported record of it' };
const shown = (r) => r.rag_confidence?.evidence === 'a person said what this photo shows';
const nearDuplicate = (r) => /^near duplicate of /.test(r.rag_confidence?.evidence || '');

/**
 * why says what was done and what came of it. decision.steps holds what was done
 * after the photo was read; without it nothing was, or the result is an old one
 * that does not tell, and only what the row makes sure is said.
 */
export function why(r) {
  const { row, steps = [], suspicions: suspicious = [] } = r.decision;
  const did = {
    ...r, suspicious, catalogue: steps.includes('search_local_db'), second: steps.includes('second_look'), web: steps.includes('google_search'),
    warned: (code) => (r.warnings || []).includes(code),
  };
  return (sentences[row]?.(did) || []).filter(Boolean).join(' ');
}

const sentences = {
  1: (r) => [shown(r) ? 'A person has said what this very photo shows, and the catalogue has a record of it.' : `One GTIN was read, the catalogue has ${records[r.record?.status] || 'a confirmed or imported record of it'}, and no other brand was read with confidence.`],
  2: () => ['The photo shows no product.'],
  3: (r) => [
    'Name and brand are sure.', r.catalogue && 'The catalogue was searched as well.',
    r.second && (r.suspicious.length ? 'A stronger model, which saw the photo too, dispelled what was suspicious.' : 'A stronger model, which saw the photo too, agrees.'),
    !r.second && !r.suspicious.length && 'Nothing was suspicious.',
  ],
  4: (r) => [nearDuplicate(r)
    ? 'A photo that looks nearly the same was identified before, and a stronger model, which saw this one, picked its product.'
    : 'The catalogue has a product that is near enough, and a stronger model, which saw the photo, picked it.'],
  5: (r) => [...before(r), 'A web search names a product, with sources.'],
  6: (r) => [
    ...before(r),
    r.web && (r.warned('search_refused') ? 'The model would not search the web.' : 'The model was asked to search the web, and no source names a product that fits.'),
    r.catalogue && !r.web && 'The web was not searched.',
    !r.catalogue && !r.second && !r.web && 'Nothing that was tried identified the product.',
  ],
};

/** before is what did not settle it, ahead of the web. */
function before(r) {
  const refused = r.warned('judgement_refused');
  return [
    r.catalogue && (refused ? 'The catalogue was searched.' : 'The catalogue has nothing that fits.'),
    r.second && (refused ? 'The stronger model would not judge the photo.' : 'A stronger model, which saw the photo too, did not settle it.'),
  ];
}

/** doubts says what was suspicious, '' if nothing was. */
export function doubts(r) {
  const list = (r.decision.suspicions || []).map((s) => suspicions[s] || s);
  if (!list.length) return '';
  return `${r.decision.row === 3 ? 'Suspicious at first' : 'Suspicious'}: ${list.join('; ')}.`;
}

/** probability says how sure the catalogue or the web is, '' where the photo decided. */
export function probability(r) {
  const c = r.rag_confidence;
  if (!c) return '';
  if (unidentified(r)) return c.evidence && !asked(r) ? `${c.evidence[0].toUpperCase()}${c.evidence.slice(1)}.` : '';
  return `Probability ${Math.round(c.probability * 100)} %, ${method(r)}${c.evidence ? `: ${c.evidence}` : ''}.`;
}

/** asked is true where why() tells what came of the web. */
const asked = (r) => (r.decision.steps || []).includes('google_search');

function method(r) {
  if (r.decision.row === 1) return shown(r) ? 'a person’s word' : 'by the code';
  if (r.decision.row === 5) return 'the model’s estimate from its sources';
  if (nearDuplicate(r)) return 'likeness of the two photos';
  return (r.warnings || []).includes('unconfirmed_record') ? 'similarity to the catalogue’s record, times how sure that record is' : 'similarity to the catalogue’s record';
}
