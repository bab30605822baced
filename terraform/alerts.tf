locals {
  channels      = [for c in google_monitoring_notification_channel.emails : c.id]
  service_names = [for name in keys(local.services) : "${var.name_prefix}-${name}"]
}

resource "google_monitoring_notification_channel" "emails" {
  for_each = var.alert_emails

  project      = var.project
  display_name = "${var.name_prefix}: ${each.key}"
  type         = "email"
  labels       = { email_address = each.key }

  depends_on = [google_project_service.apis]
}

# As long as anything that was given up waits to be replayed.
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
    content = "Five attempts came to nothing, or a model was down for ${local.give_up_after}. The results of these photos say analysis_failed. The services' logs say why; when that is mended, `scripts/replay --failed` tries the photos again. They are kept for 31 days."
  }

  depends_on = [google_project_service.apis]
}

# A 503 of an event service asks for the event to come again, and some of those
# are how things go. A fifth for a quarter of an hour is not.
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

# That of the failures is left out: it has an alert of its own.
resource "google_monitoring_alert_policy" "age" {
  project               = var.project
  display_name          = "${var.name_prefix}: oldest message"
  combiner              = "OR"
  severity              = "WARNING"
  notification_channels = local.channels

  dynamic "conditions" {
    for_each = merge(
      { for name, queue in local.queues : "${var.name_prefix}-${name}" => queue.alert_age },
      { for name, queue in local.queues : "${var.name_prefix}-${name}-dead-letter" => 3600 },
    )
    content {
      display_name = "${conditions.key}: waiting for more than ${conditions.value} s"
      condition_threshold {
        filter          = "resource.type = \"pubsub_subscription\" AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\" AND resource.labels.subscription_id = \"${conditions.key}\""
        comparison      = "COMPARISON_GT"
        threshold_value = conditions.value
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

  depends_on = [google_project_service.apis]
}

# The project's, as a budget knows no single service. It stops nothing.
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
