// What the agents do, step by step, as it arrives.

import { cut, duration, el, number, plural } from './dom.js';
import { facetNames, intents, searchTypes, source, t } from './words.js';

const titles = {
  intent_classifier: t('understands_the_words'), intent_router: t('decides_what_is_asked'), attribute_extractor: t('finds_the_filters'),
  embed_query: t('measures_words_and_picture'), semantic_search: t('searches_the_catalogue'), format_response: t('writes_the_answer'),
  image_analyzer: t('reads_the_photo'), rag_agent: t('decides_what_to_believe'), search_local_db: t('asks_the_catalogue'),
  weather_agent: t('leads_the_conversation'), weather_studio_team: t('has_it_written_and_spoken'), get_forecast_from_cache: t('looks_for_a_fresh_forecast'), cache_forecast: t('keeps_the_forecast'),
  get_cache_stats: t('counts_the_kept_forecasts'), set_session_value: t('notes_it_down'), get_current_timestamp: t('looks_at_the_clock'),
  google_search: t('asks_the_web'), save_to_local_db: t('saves_to_the_catalogue'), model: t('looks_again_with_a_stronger'),
};

/** steps is a list that add() adds an event to; say is told of each in a sentence. */
export function steps(say) {
  const node = el('ol', { class: 'steps', 'aria-label': t('steps') });
  const open = new Map(); // by agent or tool
  let tool = null;

  function begin(name, e, shown) {
    const step = row(name, e, shown);
    open.set(name, step);
    node.append(step.node);
    say(titles[name] || name);
    return step;
  }

  const on = {
    started(e) { begin(e.author, e, ''); },
    tool_call(e) { tool = begin(e.tool, e, argumentsOf(e)); },
    tool_result(e) {
      open.get(e.tool)?.end(e, e.error || answerOf(e));
      tool = null;
    },
    usage(e) {
      const own = tool || (e.author === 'rag_agent' ? begin('model', e, e.usage?.model) : open.get(e.author));
      own?.spend(e.usage || {});
      if (own === open.get('model')) own?.end(e, '');
    },
    finished(e) { open.get(e.author)?.end(e, outputOf(e)); },
  };

  return {
    node,
    add(e) { if (titles[e.author]) on[e.kind]?.(e); },
    stop() { for (const step of open.values()) step.stop(); },
  };
}

/** row is one step: what, with what, what came of it, what it took. */
function row(name, begun, shown) {
  const detail = el('p', {}, shown);
  const took = el('span', { class: 'took' });
  const node = el('li', { class: begun.kind === 'started' ? 'running' : 'running inner' },
    el('p', { class: 'what' }, el('strong', {}, titles[name] || name), ' ', name !== 'model' && el('code', {}, name), took), detail);
  let tokens = 0;
  let seconds = 0;
  const tell = () => { took.textContent = [tokens && t('n_tokens', { n: number(tokens) }), seconds && duration(seconds)].filter(Boolean).join(' · '); };
  return {
    node,
    spend(usage) { tokens += usage.total_tokens || 0; tell(); },
    end(e, text) {
      seconds = (new Date(e.time) - new Date(begun.time)) / 1000;
      node.classList.replace('running', e.error ? 'failed' : 'done');
      if (text) detail.append(shown ? el('br') : '', text);
      tell();
    },
    stop() { node.classList.replace('running', 'stopped'); },
  };
}

function argumentsOf({ tool, data }) {
  if (!data) return '';
  if (tool === 'search_local_db') return cut((data.key_features || []).join(' · '), 140);
  if (tool === 'google_search') return data.refined ? cut(data.refined, 140) : t('with_the_photo_in_the');
  if (tool === 'set_session_value') return cut(`${data.key}: ${data.value}`, 140);
  return cut(data.product_name || data.city || data.request || JSON.stringify(data), 140);
}

function answerOf({ tool, data = {} }) {
  if (tool === 'search_local_db' && data.found) {
    return `${plural(data.results.length, 'candidate')}: ${data.results.map((c) => `${c.product_name} ${c.score.toFixed(2)}`).join(', ')}`;
  }
  if (tool === 'google_search' && !data.queries?.length) return t('the_model_made_no_search');
  if (tool === 'google_search') return t('sources_for_queries', { sources: plural((data.sources || []).length, 'source'), queries: cut(data.queries.join('”, “'), 140) });
  if (tool === 'save_to_local_db') return data.saved ? t('saved_as_unconfirmed') : t('not_saved_code', { code: data.code });
  if (tool === 'get_forecast_from_cache') return data.cached ? t('a_fresh_one_is_there') : data.message || t('none_is_there');
  return data.message || '';
}

// What each step of a search has come to.
const searching = {
  intent_classifier: (data) => intents[data.intent] || '',
  intent_router: (data) => data,
  attribute_extractor: (data) => Object.entries(data).map(([facet, value]) => `${facetNames[facet] || facet}: ${typeof value === 'string' ? value.replaceAll('_', ' ') : JSON.stringify(value)}`).join(' · '),
  embed_query: (data) => searchTypes[data] || '',
  semantic_search: (data) => plural(data.products?.length || 0, 'product'),
  format_response: (data) => data.summary,
};

function outputOf({ author, data }) {
  if (!data) return '';
  if (data.error) return data.description || data.error;
  if (searching[author]) return searching[author](data);
  if (author === 'rag_agent') return source(data);
  const named = [data.brand, data.product_name].filter(Boolean).join(', ');
  return [named || t('no_name'), t('lines_of_print', { lines: plural((data.visible_text || []).length, 'line') })].join(' · ');
}
