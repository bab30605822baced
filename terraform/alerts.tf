# Who is told of what. An incident is one page, and there is one for whatever waits: what
# waits for too long is told of as "model errors" if a model has refused of late, else as
# "error rate", "oldest message" or "dead letters". What silences one of them is word for word
# what another tells of, so that nothing falls between.
# Every text says what it means, where to look first and what to do; docs/operations.md has a
# section for each under its title.

locals {
  channels      = [for c in google_monitoring_notification_channel.emails : c.id]
  service_names = [for name in keys(local.services) : "${var.name_prefix}-${name}"]

  # The subscriptions that deliver to a service, by the age in seconds that triggers an
  # alert. The subscription of failures is not among them: it has an alert of its own.
  waiting_by_age = { for name, queue in local.queues : queue.alert_age => "${var.name_prefix}-${name}"... }
  dead_letters   = [for name in keys(local.queues) : "${var.name_prefix}-${name}-dead-letter"]

  # Two days before the end of a week's retention, five before the end of a month's.
  loss = {
    (5 * 86400)  = concat([for name in keys(local.queues) : "${var.name_prefix}-${name}"], [for s in concat(values(google_pubsub_subscription.bigquery), values(google_pubsub_subscription.webhook)) : s.name])
    (26 * 86400) = concat(local.dead_letters, [google_pubsub_subscription.failures.name])
  }

  # The kinds of model errors that only a person ends: one is enough.
  ended_by_people = "gone|invalid|not_in_plan|unauthorized|unpaid"

  # Parts of PromQL.
  requests   = "run_googleapis_com:request_count{${local.on_cloud_run}"
  oldest     = "max by (subscription_id) (max_over_time(pubsub_googleapis_com:subscription_oldest_unacked_message_age{monitored_resource=\"pubsub_subscription\""
  of_api     = "service_name=\"${var.name_prefix}-api\""
  of_events  = "service_name=~\"${var.name_prefix}-(upload|task)\""
  late       = { for window in ["5m", "30m", "1h", "6h"] : window => "sum(increase(${local.promql}_late{${local.on_cloud_run}}[${window}])) / sum(increase(${local.promql}_results{${local.on_cloud_run},cached=\"false\"}[${window}]))" }
  slow       = { for window in ["5m", "30m", "1h", "6h"] : window => "sum(increase(${local.promql}_slow_reads{${local.on_cloud_run}}[${window}])) / sum(increase(${local.promql}_reads{${local.on_cloud_run}}[${window}]))" }
  in_console = "https://console.cloud.google.com"
  logs       = "${local.in_console}/logs/query;query=${urlencode("resource.type=\"cloud_run_revision\" resource.labels.service_name=~\"^${var.name_prefix}-\" severity>=WARNING")};duration=PT6H?project=${var.project}"
  board      = "${local.in_console}/monitoring/dashboards?project=${var.project}"
  queue_page = "${local.in_console}/cloudpubsub/subscription/list?project=${var.project}"
  run_page   = "${local.in_console}/run?project=${var.project}"

  # The errors of models that keep events waiting, by kind; a search that is refused keeps none.
  # The window is longer than the pause between two deliveries.
  of_models  = "${local.promql}_model_errors{${local.on_cloud_run}"
  refused_by = "${local.of_models},${local.of_events},kind!=\"no_search\"}"
  refusing   = "sum by (kind) (increase(${local.refused_by}[30m])) > 0"
  # What waits for too long, by the age in seconds: the largest of five minutes, as a message
  # that becomes a dead letter begins anew. A dead letter has waited for most of a day.
  too_old = { for seconds, names in merge(local.waiting_by_age, { 0 = local.dead_letters }) : seconds => "${local.oldest},subscription_id=~\"${join("|", names)}\"}[5m])) > ${seconds}" }
  # A batch takes hours, but is stuck where more is refused than is analysed.
  analysed = "scalar(sum(increase(${local.promql}_results{${local.on_cloud_run},${local.of_events},cached=\"false\",source=~\"image|local_db|google_search|unidentified|no_product\"}[30m])) or vector(0))"
  stuck    = "${local.refusing} > ${local.analysed} and on() ${local.oldest},subscription_id=~\"${join("|", concat(values(local.waiting_by_age)...))}\"}[5m])) > 900"

  # The part of requests that fail; of events without those that a model refused.
  all_of = { for name, of in { api = local.of_api, events = local.of_events } : name => "sum by (service_name) (rate(${local.requests},${of}}[15m]))" }
  failed = { for name, of in { api = local.of_api, events = local.of_events } : name => "sum by (service_name) (rate(${local.requests},${of},response_code_class=\"5xx\"}[15m]))" }
  fails = {
    api    = "${local.failed.api} / ${local.all_of.api} > 0.2"
    events = "(${local.failed.events} - (sum by (service_name) (rate(${local.refused_by}[15m])) or 0 * ${local.all_of.events})) / ${local.all_of.events} > 0.2"
  }
  told = "${local.refusing} or ${local.fails.events}"

  # Alerts of metrics. Both objectives are 99 of 100; 14.4 times too fast spends the budget
  # of a month in two days, 6 times in five (the Site Reliability Workbook, chapter 5).
  queries = {
    failures = {
      title      = "photos given up", severity = "ERROR"
      conditions = { "A photo was given up" = "max(pubsub_googleapis_com:subscription_num_undelivered_messages{monitored_resource=\"pubsub_subscription\",subscription_id=\"${google_pubsub_subscription.failures.name}\"}) > 0" }
      meaning    = "Four attempts at a photo came to nothing, or a model was down for ${local.give_up_after}. The results of these photos say analysis_failed. They are kept for 31 days."
      look       = local.logs
      remedy     = "Mend what the log says, then whatisit replay --failed tries the photos again. The alert ends when none is left."
    }
    errors = {
      title = "error rate", severity = "ERROR"
      conditions = {
        "More than a fifth of the API's requests fail"     = local.fails.api
        "More than a fifth of a service's deliveries fail" = local.fails.events
      }
      meaning = "More than a fifth of a service's requests failed for a quarter of an hour. Users see those of the API; events are not lost, and come again for a day at least."
      look    = local.logs
      remedy  = "After a deployment: scripts/deploy from the commit before. Without lines of the service: more instances (scale). A line \"configuration\": undo the last change of a variable."
    }
    age = {
      title      = "oldest message", severity = "WARNING"
      conditions = { for seconds in keys(local.waiting_by_age) : "Waiting for more than ${seconds} s" => "${local.too_old[seconds]} unless on() (${local.told})" }
      meaning    = "A photo or a task has waited for long, and no model has refused for half an hour. Pub/Sub keeps it for 7 days."
      look       = local.board
      remedy     = "If Messages waiting falls: wait, or raise scale and the quota with it. If not, the log says what holds them up."
    }
    dead = {
      title      = "dead letters", severity = "ERROR"
      conditions = { "A dead letter waits" = "${local.too_old[0]} unless on() (${local.told})" }
      meaning    = "A message failed ${local.deliveries} deliveries and is delivered on from its dead-letter topic, for 31 days."
      look       = local.logs
      remedy     = "Mend what the log says of it; it needs no replay."
    }
    loss = {
      title      = "messages about to be lost", severity = "CRITICAL"
      conditions = { for seconds, names in local.loss : "Waiting for more than ${seconds} s" => "${local.oldest},subscription_id=~\"${join("|", names)}\"}[5m])) > ${seconds}" }
      meaning    = "Pub/Sub forgets these messages within two days (queues, after 7), or five (dead letters and failures, after 31)."
      look       = local.queue_page
      remedy     = "Remove the cause of the waiting: max_usd_per_day, a quota, what the log says. Photos stay in the bucket: whatisit replay sends them again; failures: whatisit replay --failed."
    }
    models = {
      title = "model errors", severity = "ERROR"
      conditions = { "A model refuses for what a person ends, and what waits for it, by kind" = join(" or ", concat(
        ["sum by (kind) (increase(${local.of_models},kind=~\"${local.ended_by_people}\"}[30m])) > 0"],
        [for old in values(local.too_old) : "${local.refusing} and on() ${old}"],
        [local.stuck],
        ["sum by (kind) (increase(${local.of_models},${local.of_api},kind=~\"malformed|quota|unavailable\"}[15m])) > 20"],
        ["sum by (kind) (increase(${local.of_models},kind=\"no_search\"}[15m])) > 20"],
      )) }
      meaning = "A model is gone, closed to the services, unpaid or not in the plan; or photos and tasks have waited for 15 minutes for a model that is down or out of quota, or for max_usd_per_day; or callers are refused. The kind is the label. Events come again, for ${local.give_up_after} where it is an outage; a quota and the day's money are waited for."
      look    = local.logs
      remedy  = "whatisit logs --errors names the model and what it answered: gone: another model; unauthorized: the secret or roles/aiplatform.user; unpaid, not_in_plan, no_search: the page that its line names; quota: Quotas; budget: raise max_usd_per_day, or let the work wait for midnight UTC; down: wait, or another model."
    }
    failing = {
      title      = "photos that fail", severity = "WARNING"
      conditions = { "More than a fifth of an hour's photos fail, by cause" = "sum by (source) (increase(${local.promql}_results{${local.on_cloud_run},source!~\"image|local_db|google_search|unidentified|no_product\"}[1h])) / scalar(sum(increase(${local.promql}_results{${local.on_cloud_run}}[1h]))) > 0.2 and on() sum(increase(${local.promql}_results{${local.on_cloud_run}}[1h])) > 20" }
      meaning    = "More than a fifth of the last hour's photos ended with the same error; its code is the label source."
      look       = local.board
      remedy     = "GET /results?error=CODE lists them. Files that are no photos: ask who uploads them."
    }
    late = {
      title = "results are late", severity = "WARNING"
      conditions = {
        "Fast: 14.4 times too many for an hour"    = "${local.late["1h"]} > 0.144 and ${local.late["5m"]} > 0.144"
        "Steadily: 6 times too many for six hours" = "${local.late["6h"]} > 0.06 and ${local.late["30m"]} > 0.06"
      }
      meaning = "The objective is that 99 of 100 photos are analysed within 2 minutes, without waiting in the queue; its error budget is being spent too fast."
      look    = local.board
      remedy  = "Slow models: model errors, or another model. event_tier = \"flex\" is slow by intention: leave this alert to batches then. Too many at once in an instance: scale."
    }
    slow = {
      title = "the API is slow", severity = "WARNING"
      conditions = {
        "Fast: 14.4 times too many for an hour"    = "${local.slow["1h"]} > 0.144 and ${local.slow["5m"]} > 0.144"
        "Steadily: 6 times too many for six hours" = "${local.slow["6h"]} > 0.06 and ${local.slow["30m"]} > 0.06"
      }
      meaning = "The objective is that 99 of 100 requests that ask no model (lists, results, the health check) are answered within a second; its error budget is being spent too fast."
      look    = local.run_page
      remedy  = "Starts of instances: scale.api.min_instances = 1. Otherwise the traces say which call of Firestore or Cloud Storage is slow."
    }
  }

  # Alerts of single lines of the log, the platform's and our own.
  of_platform = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=~\"^${var.name_prefix}-(upload|task|api)$\""
  lines = {
    spend = {
      title   = "spend near its limit", severity = "WARNING"
      filter  = "${local.log_of_services} AND jsonPayload.message=\"spend is near its limit\""
      meaning = "Four fifths of max_usd_per_day (USD ${var.max_usd_per_day}) are spent. At all of it paid work stops until midnight UTC: events wait, HTTP answers 429. Once events have waited for 15 minutes, model errors tells of them, as budget."
      look    = local.board
      remedy  = "Raise max_usd_per_day, or let the work wait."
    }
    refused = {
      title   = "events refused", severity = "ERROR"
      filter  = "${local.log_of_services} AND jsonPayload.message=\"event refused\""
      meaning = "Something delivers events that the services cannot read, such as protobuf or those of 1st-gen functions. There may be photos behind them; they come again, and as dead letters go to the topic of failures."
      look    = local.logs
      remedy  = "The line says what came. Change what delivers it, then whatisit replay sends the photos again."
    }
    memory = {
      title   = "out of memory", severity = "ERROR"
      filter  = "${local.of_platform} AND logName:\"varlog%2Fsystem\" AND textPayload:\"Consider increasing the memory limit\""
      meaning = "Cloud Run ended an instance that used more memory than it has. Its requests failed; events come again."
      look    = local.logs
      remedy  = "Raise memory_mb of that service in scale, or lower its concurrency. If one photo does it, it is given up after four attempts: keep it for a report."
    }
    crash = {
      title   = "crash", severity = "ERROR"
      filter  = "${local.of_platform} AND textPayload=~\"^(panic: |fatal error: |Container called exit\\(|Container terminated on signal)\""
      meaning = "An instance ended by itself: a panic, a fatal error of Go, an exit or a signal. Its requests failed; events come again."
      look    = local.logs
      remedy  = "The lines behind it are the stack. Deploy the commit before, and report it."
    }
    rollout = {
      title   = "failed rollout", severity = "ERROR"
      filter  = "${local.of_platform} AND severity=ERROR AND protoPayload.status.message:\"Ready condition status changed to False\""
      meaning = "A new revision did not become ready. The one before serves on."
      look    = local.run_page
      remedy  = "Its message says why: mostly a variable that the configuration refuses, or a secret that the service may not read."
    }
    instances = {
      title   = "no instance", severity = "WARNING"
      filter  = "${local.of_platform} AND resource.labels.service_name=\"${var.name_prefix}-api\" AND textPayload:\"no available instance\""
      meaning = "Cloud Run refused a request of the API (429 or 500), as no instance was free within its time. Event services are not counted: their events come again."
      look    = local.run_page
      remedy  = "Raise max_instances or concurrency of api in scale, and the quota with it."
    }
    timeouts = {
      title   = "time-outs", severity = "ERROR"
      filter  = "${local.of_platform} AND httpRequest.status=504"
      meaning = "A request took longer than ${local.service_timeout} and was cut off by Cloud Run: the service ends its work before that, so it hung."
      look    = local.logs
      remedy  = "The trace of the request says where. An event comes again."
    }
  }
}

locals {
  # What each alert says to whoever is woken up.
  texts = { for name, alert in merge(local.queries, local.lines) : name => "**Meaning.** ${alert.meaning}\n\n**First look.** ${alert.look}\n\n**Remedy.** ${alert.remedy}\n\n**More.** docs/operations.md, whatis: ${alert.title}" }
}

resource "google_monitoring_notification_channel" "emails" {
  for_each = var.alert_emails

  project      = var.project
  display_name = "${var.name_prefix}: ${each.key}"
  type         = "email"
  labels       = { email_address = each.key }

  # Google deletes no channel that a policy names: an address that is taken out goes after the
  # policies have changed.
  lifecycle {
    create_before_destroy = true
  }

  depends_on = [google_project_service.apis]
}

# In PromQL, as Cloud Monitoring accepts a filter on a log-based metric only minutes
# after the metric was created: a first apply would fail.
resource "google_monitoring_alert_policy" "queries" {
  for_each = local.queries

  project               = var.project
  display_name          = "${var.name_prefix}: ${each.value.title}"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = local.channels

  dynamic "conditions" {
    for_each = each.value.conditions
    content {
      display_name = conditions.key
      condition_prometheus_query_language {
        query                     = conditions.value
        duration                  = "300s"
        evaluation_interval       = "60s"
        disable_metric_validation = true
      }
    }
  }

  documentation {
    content   = local.texts[each.key]
    mime_type = "text/markdown"
  }

  lifecycle {
    precondition {
      condition     = length(each.value.conditions) <= 6
      error_message = "Cloud Monitoring takes six conditions: let queues share their alert_age (names.tf)."
    }
  }

  depends_on = [
    google_logging_metric.results,
    google_logging_metric.model_errors,
    google_logging_metric.counts,
  ]
}

resource "google_monitoring_alert_policy" "lines" {
  for_each = local.lines

  project               = var.project
  display_name          = "${var.name_prefix}: ${each.value.title}"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = local.channels

  conditions {
    display_name = each.value.title
    condition_matched_log {
      filter = each.value.filter
    }
  }
  alert_strategy {
    auto_close = "3600s"
    notification_rate_limit {
      period = "3600s"
    }
  }

  documentation {
    content   = local.texts[each.key]
    mime_type = "text/markdown"
  }

  depends_on = [google_project_service.apis]
}

# Only a public API is open to Google's probes: behind IAP and with api_invokers they are
# refused. They come from the internet: by the balancer, if there is one.
resource "google_monitoring_uptime_check_config" "api" {
  count = var.public_api && local.probed ? 1 : 0

  project      = var.project
  display_name = "${var.name_prefix}: the API is away"
  period       = "300s"
  timeout      = "10s"

  http_check {
    path         = "/health"
    use_ssl      = true
    validate_ssl = true
  }
  monitored_resource {
    type = "uptime_url"
    labels = {
      project_id = var.project
      host       = trimprefix(local.api_address, "https://")
    }
  }

  depends_on = [google_project_service.apis]
}

resource "google_monitoring_alert_policy" "away" {
  count = var.public_api && local.probed ? 1 : 0

  project               = var.project
  display_name          = "${var.name_prefix}: the API is away"
  combiner              = "OR"
  severity              = "CRITICAL"
  notification_channels = local.channels

  conditions {
    display_name = "Fewer than half of Google's probes get an answer"
    condition_prometheus_query_language {
      query                     = "avg(avg_over_time(monitoring_googleapis_com:uptime_check_check_passed{monitored_resource=\"uptime_url\",check_id=\"${google_monitoring_uptime_check_config.api[0].uptime_check_id}\"}[10m])) < 0.5"
      duration                  = "300s"
      evaluation_interval       = "60s"
      disable_metric_validation = true
    }
  }

  documentation {
    content   = "**Meaning.** Google's probes in several regions do not reach /health of the API.\n\n**First look.** ${local.run_page}\n\n**Remedy.** After a deployment: scripts/deploy from the commit before. Otherwise Google's status page, then the log.\n\n**More.** docs/operations.md, whatis: the API is away"
    mime_type = "text/markdown"
  }

  depends_on = [google_project_service.apis]
}

# For the whole project, as a budget cannot be limited to one service. It stops nothing.
resource "google_billing_budget" "month" {
  count = var.billing_account == "" ? 0 : 1

  billing_account = var.billing_account
  display_name    = "${var.name_prefix}: ${var.project}"

  budget_filter {
    projects        = ["projects/${data.google_project.this.number}"]
    calendar_period = "MONTH"
  }
  amount {
    specified_amount {
      units = tostring(var.monthly_budget)
    }
  }

  dynamic "threshold_rules" {
    for_each = [0.5, 0.9, 1]
    content {
      threshold_percent = threshold_rules.value
      spend_basis       = "CURRENT_SPEND"
    }
  }
  threshold_rules {
    threshold_percent = 1
    spend_basis       = "FORECASTED_SPEND"
  }

  all_updates_rule {
    monitoring_notification_channels = local.channels
    enable_project_level_recipients  = true
  }

  depends_on = [google_project_service.apis]
}
