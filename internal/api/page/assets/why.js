// Why a result is what it is, in sentences of what was done for it.

import { suspicions, t, unidentified, warnings } from './words.js';

const records = { confirmed: t('a_record_of_it_that'), imported: t('an_imported_record_of_it') };
const shown = (r) => r.rag_confidence?.evidence === 'a person said what this photo shows';

/** reasons are what the service says of a product that nobody identified. */
const reasons = { 'there is nothing on the photo to search for': t('there_is_nothing_on_the'), 'no source names a product that fits': t('no_source_names_a_product') };

const nearDuplicate = (r) => /^near duplicate of /.test(r.rag_confidence?.evidence || '');

/**
 * why says what was done and what came of it. decision.steps holds what was done
 * after the photo was read.
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
  1: (r) => [shown(r) ? t('a_person_has_said_what') : t('one_gtin_was_read_the', { record: records[r.record?.status] || t('a_confirmed_or_imported_record') })],
  2: () => [t('the_photo_shows_no_product')],
  3: (r) => [
    r.warned('no_brand_printed') ? t('the_name_is_sure_no') : t('name_and_brand_are_sure'), r.catalogue && t('the_catalogue_was_searched_as'),
    r.second && (failed(r) || (r.suspicious.length ? t('a_stronger_model_which_saw') : t('a_stronger_model_which_saw_the'))),
    !r.second && !r.suspicious.length && t('nothing_was_suspicious'),
  ],
  4: (r) => [nearDuplicate(r)
    ? t('a_photo_that_looks_nearly')
    : t('the_catalogue_has_a_product')],
  5: (r) => [...before(r), t('a_web_search_names_a')],
  6: (r) => [
    ...before(r),
    r.web && (r.warned('search_refused') ? t('the_model_would_not_search') : t('the_model_was_asked_to')),
    r.warned('no_web_search') ? warnings.no_web_search : r.catalogue && !r.web && t('the_web_was_not_searched'),
    !r.catalogue && !r.second && !r.web && !r.warned('no_web_search') && t('nothing_that_was_tried_identified'),
  ],
};

/** before is what did not settle it, ahead of the web. */
function before(r) {
  return [
    r.catalogue && (failed(r) ? t('the_catalogue_was_searched') : t('the_catalogue_has_nothing_that')),
    r.second && (failed(r) || t('a_stronger_model_which_saw_the_photo')),
  ];
}

/** failed says that the second look came to nothing, '' if it did not. */
function failed(r) {
  return r.warned('second_look_failed') ? t('the_stronger_model_gave_no') : '';
}

/** doubts says what was suspicious, '' if nothing was. */
export function doubts(r) {
  const list = (r.decision.suspicions || []).map((s) => suspicions[s] || s);
  if (!list.length) return '';
  return `${r.decision.row === 3 ? t('suspicious_at_first') : t('suspicious')}: ${list.join('; ')}.`;
}

/** probability says how sure the catalogue or the web is, '' where the photo decided. */
export function probability(r) {
  const c = r.rag_confidence;
  if (!c) return '';
  if (unidentified(r)) return (!asked(r) && reasons[c.evidence]) || '';
  const because = shown(r) ? '' : c.evidence?.replace(/^near duplicate of [^:]*: /, ''); // the sentences before say that
  return `${t('probability_n_method', { n: Math.round(c.probability * 100), method: method(r) })}${because ? `: ${because}` : ''}.`;
}

/** asked is true where why() tells what came of the web, or why it was not searched. */
const asked = (r) => (r.decision.steps || []).includes('google_search') || (r.warnings || []).includes('no_web_search');

function method(r) {
  if (r.decision.row === 1) return shown(r) ? t('a_persons_word') : t('by_the_code');
  if (r.decision.row === 5) return t('the_models_estimate_from_its');
  if (nearDuplicate(r)) return t('likeness_of_the_two_photos');
  return (r.warnings || []).includes('unconfirmed_record') ? t('similarity_to_the_catalogues_record') : t('similarity_to_the_catalogues_record_2');
}
