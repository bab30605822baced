locals {
  channels      = [for c in google_monitoring_notification_channel.emails : c.id]
  service_names = [for name in keys(local.services) : "${var.name_prefix}-${name}"]

  # The subscriptions that deliver to a service, with the age in seconds that triggers an
  # alert. The subscription of failures is not among them: it has an alert of its own.
  waiting = merge(
    { for name, queue in local.queues : "${var.name_prefix}-${name}" => queue.alert_age },
    { for name, queue in local.queues : "${var.name_prefix}-${name}-dead-letter" => 3600 },
  )

  # A policy has at most six conditions, so there is one for each age and not for each
  # queue: each of the subscriptions in a condition is evaluated separately.
  waiting_by_age = { for name, seconds in local.waiting : seconds => name... }

  # Two days before the end of a week's retention, five before the end of a month's.
  loss = {
    (5 * 86400)  = [for name in keys(local.queues) : "${var.name_prefix}-${name}"]
    (26 * 86400) = concat([for name in keys(local.queues) : "${var.name_prefix}-${name}-dead-letter"], [google_pubsub_subscription.failures.name])
  }
  age_of = "resource.type = \"pubsub_subscription\" AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\" AND resource.labels.subscription_id = one_of"

  # The number of model errors within a quarter of an hour that triggers an alert, by
  # kind: one if only a person can help, more if the models may recover.
  too_many_model_errors = {
    "gone|invalid|unauthorized" = 0
    "malformed|unavailable"     = 20
    "quota"                     = 50
  }
}

resource "google_monitoring_notification_channel" "emails" {
  for_each = var.alert_emails

  project      = var.project
  display_name = "${var.name_prefix}: ${each.key}"
  type         = "email"
  labels       = { email_address = each.key }

  depends_on = [google_project_service.apis]
}

# Active while a given-up photo waits to be replayed.
resource "google_monitoring_alert_policy" "failures" {
  project               = var.project
  display_name          = "${var.name_prefix}: photos given up"
  combiner              = "OR"
  severity              = "ERROR"
  notification_channels = local.channels

  conditions {
    display_name = "A photo was given up"
    condition_threshold {
      filter          = "resource.type = \"pubsub_subscription\" AND metric.type = \"pubsub.googleapis.com/subscription/num_undelivered_messages\" AND resource.labels.subscription_id = \"${google_pubsub_subscription.failures.name}\""
      comparison      = "COMPARISON_GT"
      threshold_value = 0
      duration        = "0s"
      aggregations {
        alignment_period   = "60s"
        per_series_aligner = "ALIGN_MAX"
      }
    }
  }

  documentation {
    content = "Five attempts came to nothing, or a model was down for ${local.give_up_after}. The results of these photos say analysis_failed. The services' logs say why; when that is mended, `whatisit replay --failed` tries the photos again. They are kept for 31 days."
  }

  depends_on = [google_project_service.apis]
}

# A 503 of an event service asks for the event to be delivered again; some of them are
# normal. A fifth of the requests for a quarter of an hour is not.
resource "google_monitoring_alert_policy" "errors" {
  project               = var.project
  display_name          = "${var.name_prefix}: error rate"
  combiner              = "OR"
  severity              = "ERROR"
  notification_channels = local.channels

  conditions {
    display_name = "More than a fifth of a service's requests fail"
    condition_threshold {
      filter             = "resource.type = \"cloud_run_revision\" AND metric.type = \"run.googleapis.com/request_count\" AND metric.labels.response_code_class = \"5xx\" AND resource.labels.service_name = one_of(${join(", ", [for n in local.service_names : "\"${n}\""])})"
      denominator_filter = "resource.type = \"cloud_run_revision\" AND metric.type = \"run.googleapis.com/request_count\" AND resource.labels.service_name = one_of(${join(", ", [for n in local.service_names : "\"${n}\""])})"
      comparison         = "COMPARISON_GT"
      threshold_value    = 0.2
      duration           = "900s"
      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_DELTA"
        cross_series_reducer = "REDUCE_SUM"
        group_by_fields      = ["resource.label.service_name"]
      }
      denominator_aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_DELTA"
        cross_series_reducer = "REDUCE_SUM"
        group_by_fields      = ["resource.label.service_name"]
      }
    }
  }

  documentation {
    content = "The service's log says why, in lines of severity WARNING and ERROR. Events are not lost: they are delivered again, and in an outage for a day."
  }

  depends_on = [google_project_service.apis]
}

resource "google_monitoring_alert_policy" "age" {
  project               = var.project
  display_name          = "${var.name_prefix}: oldest message"
  combiner              = "OR"
  severity              = "WARNING"
  notification_channels = local.channels

  dynamic "conditions" {
    for_each = local.waiting_by_age
    content {
      display_name = "Waiting for more than ${conditions.key} s"
      condition_threshold {
        filter          = "${local.age_of}(${join(", ", [for name in conditions.value : "\"${name}\""])})"
        comparison      = "COMPARISON_GT"
        threshold_value = tonumber(conditions.key)
        duration        = "300s"
        aggregations {
          alignment_period   = "60s"
          per_series_aligner = "ALIGN_MAX"
        }
      }
    }
  }

  documentation {
    content = "A photo has waited for long. If a model is down it is given up after ${local.give_up_after}; whatever else it waits for, Pub/Sub forgets a message that nobody took in 7 days, a dead letter in 31. The services' logs say what holds them up: a quota, the daily limit (max_usd_per_day), or too few instances (scale)."
  }

  lifecycle {
    precondition {
      condition     = length(local.waiting_by_age) <= 6
      error_message = "Cloud Monitoring takes six conditions: let queues share their alert_age (names.tf)."
    }
  }

  depends_on = [google_project_service.apis]
}

# Waiting for a quota, capacity or the next day's budget does not count towards a photo's
# age, so only the end of the retention ends it. This alert comes before.
resource "google_monitoring_alert_policy" "loss" {
  project               = var.project
  display_name          = "${var.name_prefix}: messages about to be lost"
  combiner              = "OR"
  severity              = "CRITICAL"
  notification_channels = local.channels

  dynamic "conditions" {
    for_each = local.loss
    content {
      display_name = "Waiting for more than ${conditions.key} s"
      condition_threshold {
        filter          = "${local.age_of}(${join(", ", [for name in conditions.value : "\"${name}\""])})"
        comparison      = "COMPARISON_GT"
        threshold_value = tonumber(conditions.key)
        duration        = "0s"
        aggregations {
          alignment_period   = "60s"
          per_series_aligner = "ALIGN_MAX"
        }
      }
    }
  }

  documentation {
    content = "Pub/Sub forgets these messages within two days (queues, after 7), or five (dead letters and failures, after 31). docs/operations.md says how to keep them."
  }

  depends_on = [google_project_service.apis]
}

# internal/gemini writes the line once a day and instance, at four fifths.
resource "google_monitoring_alert_policy" "spend" {
  project               = var.project
  display_name          = "${var.name_prefix}: spend near its limit"
  combiner              = "OR"
  severity              = "WARNING"
  notification_channels = local.channels

  conditions {
    display_name = "Four fifths of max_usd_per_day are spent"
    condition_matched_log {
      filter = "${local.log_of_services} AND jsonPayload.message=\"spend is near its limit\""
    }
  }
  alert_strategy {
    notification_rate_limit {
      period = "3600s"
    }
  }

  documentation {
    content = "At max_usd_per_day (USD ${var.max_usd_per_day}) paid work stops until midnight UTC: events wait, HTTP answers 429."
  }

  depends_on = [google_project_service.apis]
}

# In PromQL, as Cloud Monitoring accepts a filter on a log-based metric only minutes
# after the metric was created: a first apply would fail.
resource "google_monitoring_alert_policy" "models" {
  project               = var.project
  display_name          = "${var.name_prefix}: model errors"
  combiner              = "OR"
  severity              = "ERROR"
  notification_channels = local.channels

  dynamic "conditions" {
    for_each = local.too_many_model_errors
    content {
      display_name = "More than ${conditions.value} errors in 15 minutes: ${conditions.key}"
      condition_prometheus_query_language {
        query                     = "sum by (kind) (increase(${local.promql}_model_errors{monitored_resource=\"cloud_run_revision\",kind=~\"${conditions.key}\"}[15m])) > ${conditions.value}"
        duration                  = "0s"
        evaluation_interval       = "60s"
        disable_metric_validation = true
      }
    }
  }

  documentation {
    content = "A model is gone, closed to the services, down or out of quota. Events are delivered again, for ${local.give_up_after} where it is an outage. whatisit logs --errors names the model and what it answered."
  }

  depends_on = [google_logging_metric.model_errors]
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
