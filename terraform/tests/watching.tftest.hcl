# Who is told of what, and what the dashboard shows.

mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project           = "a-project"
  region            = "europe-west1"
  image             = "europe-west1-docker.pkg.dev/a-project/whatis/cmd@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
  learn_from_search = false
}

run "alerts" {
  command = plan

  assert {
    condition     = strcontains(google_monitoring_alert_policy.failures.conditions[0].condition_threshold[0].filter, "pubsub.googleapis.com/subscription/num_undelivered_messages") && strcontains(google_monitoring_alert_policy.failures.conditions[0].condition_threshold[0].filter, "\"whatis-failures\"") && google_monitoring_alert_policy.failures.conditions[0].condition_threshold[0].threshold_value == 0
    error_message = "nobody hears of a photo that was given up"
  }
  assert {
    condition     = strcontains(google_monitoring_alert_policy.errors.conditions[0].condition_threshold[0].filter, "5xx") && !strcontains(google_monitoring_alert_policy.errors.conditions[0].condition_threshold[0].denominator_filter, "5xx") && alltrue([for s in ["upload", "task", "api"] : strcontains(google_monitoring_alert_policy.errors.conditions[0].condition_threshold[0].filter, "\"whatis-${s}\"")])
    error_message = "nobody hears of failing requests"
  }
  assert {
    condition = { for c in google_monitoring_alert_policy.age.conditions : regex("subscription_id = \"([^\"]+)\"", c.condition_threshold[0].filter)[0] => c.condition_threshold[0].threshold_value } == {
      "whatis-uploads"                = 1800
      "whatis-tasks"                  = 21600
      "whatis-long-tasks"             = 1800
      "whatis-uploads-dead-letter"    = 3600
      "whatis-tasks-dead-letter"      = 3600
      "whatis-long-tasks-dead-letter" = 3600
    }
    error_message = "nobody hears of a message that waits"
  }
  # internal/analyze/intake gives up after a day, and Pub/Sub forgets after seven.
  assert {
    condition     = alltrue([for c in google_monitoring_alert_policy.age.conditions : c.condition_threshold[0].threshold_value < 86400 && strcontains(c.condition_threshold[0].filter, "oldest_unacked_message_age")])
    error_message = "who is told after a day is told too late"
  }
  assert {
    condition     = length(google_billing_budget.month) == 0 && !contains(keys(google_project_service.apis), "billingbudgets.googleapis.com")
    error_message = "a budget needs a billing account"
  }
}

run "alerts_and_budget_reach_people" {
  command = apply
  variables {
    alert_emails    = ["jo@example.com", "shop@example.com"]
    billing_account = "012345-6789AB-CDEF01"
    monthly_budget  = 250
  }

  assert {
    condition     = toset([for c in google_monitoring_notification_channel.emails : "${c.type} ${c.labels.email_address}"]) == toset(["email jo@example.com", "email shop@example.com"])
    error_message = "alert_emails is not used"
  }
  assert {
    condition     = alltrue([for p in [google_monitoring_alert_policy.failures, google_monitoring_alert_policy.errors, google_monitoring_alert_policy.age] : toset(p.notification_channels) == toset([for c in google_monitoring_notification_channel.emails : c.id])])
    error_message = "an alert tells nobody"
  }
  assert {
    condition     = google_billing_budget.month[0].billing_account == "012345-6789AB-CDEF01" && google_billing_budget.month[0].amount[0].specified_amount[0].units == "250" && google_billing_budget.month[0].budget_filter[0].projects == toset(["projects/123456789012"])
    error_message = "the budget is not that of the project"
  }
  assert {
    condition     = [for r in google_billing_budget.month[0].threshold_rules : "${r.threshold_percent} ${r.spend_basis}"] == ["0.5 CURRENT_SPEND", "0.9 CURRENT_SPEND", "1 CURRENT_SPEND", "1 FORECASTED_SPEND"]
    error_message = "the budget does not warn in time"
  }
  assert {
    condition     = google_billing_budget.month[0].all_updates_rule[0].monitoring_notification_channels == tolist([for c in google_monitoring_notification_channel.emails : c.id])
    error_message = "the budget tells nobody"
  }
  assert {
    condition     = contains(keys(google_project_service.apis), "billingbudgets.googleapis.com")
    error_message = "the budget's API is off"
  }
}

# internal/analyze/intake/result.go: slog.InfoContext(ctx, "object analysed", … "source",
# "cached", "took", "cost_usd"); likewise "analysis broken off" … "cost_usd".
run "metrics_read_the_log" {
  command = plan

  assert {
    condition     = alltrue([for m in [google_logging_metric.results, google_logging_metric.seconds, google_logging_metric.cost] : strcontains(m.filter, "\"object analysed\"") && strcontains(m.filter, "whatis-(upload|task|api)")])
    error_message = "a metric does not find the line of an analysed photo"
  }
  assert {
    condition     = google_logging_metric.results.label_extractors == tomap({ source = "EXTRACT(jsonPayload.source)", cached = "EXTRACT(jsonPayload.cached)" }) && toset([for l in google_logging_metric.results.metric_descriptor[0].labels : l.key]) == toset(["source", "cached"])
    error_message = "results cannot be told apart by source and cache"
  }
  # took is a text such as 6.42s.
  assert {
    condition     = google_logging_metric.seconds.value_extractor == "REGEXP_EXTRACT(jsonPayload.took, \"^([0-9.]+)s$\")" && google_logging_metric.seconds.metric_descriptor[0].value_type == "DISTRIBUTION"
    error_message = "the time is not read out of the line"
  }
  assert {
    condition     = google_logging_metric.cost.value_extractor == "EXTRACT(jsonPayload.cost_usd)" && strcontains(google_logging_metric.cost.filter, "\"analysis broken off\"")
    error_message = "the cost is not read out of the line, or that of failed attempts is not"
  }
}

run "dashboard" {
  command = plan
  variables {
    name_prefix = "what-is"
  }

  assert {
    condition = alltrue([for wanted in [
      "logging.googleapis.com/user/what-is/results", "metric.label.source",
      "logging.googleapis.com/user/what-is/seconds", "REDUCE_PERCENTILE_95",
      "logging_googleapis_com:user_what_is_cost_usd_sum", "[1d]",
      "cached=", "oldest_unacked_message_age", "dead_letter_message_count", "what-is-(long-tasks|tasks|uploads)",
    ] : strcontains(google_monitoring_dashboard.whatis.dashboard_json, wanted)])
    error_message = "the dashboard lacks results by source, latency, cost a day, cache hits, waiting or dead letters"
  }
  assert {
    condition     = alltrue(flatten([for t in jsondecode(google_monitoring_dashboard.whatis.dashboard_json).mosaicLayout.tiles : [for d in t.widget.xyChart.dataSets : length(d.timeSeriesQuery) == 1]]))
    error_message = "a chart has no series, or two in one"
  }
  # Cloud Monitoring answers without what is zero; with it every apply would see a
  # change.
  assert {
    condition     = !can(regex("\"[xy]Pos\":0[,}]|\\[\\]|null", google_monitoring_dashboard.whatis.dashboard_json))
    error_message = "the dashboard holds zeros or nothings that the API leaves out"
  }
  assert {
    condition     = length(distinct([for t in jsondecode(google_monitoring_dashboard.whatis.dashboard_json).mosaicLayout.tiles : "${try(t.xPos, 0)} ${try(t.yPos, 0)}"])) == 8
    error_message = "charts lie on each other"
  }
}

run "outputs_tell_the_next_step" {
  command = apply

  assert {
    condition     = output.repository == "europe-west1-docker.pkg.dev/a-project/whatis"
    error_message = "nobody knows where to push the image"
  }
  assert {
    condition     = output.upload_bucket == "a-project-whatis-uploads" && output.results_bucket == "a-project-whatis-results" && output.upload_topic == "whatis-uploads" && output.failures_subscription == "whatis-failures" && output.database == "whatis" && output.api_service == "whatis-api"
    error_message = "an output that the scripts need is missing"
  }
  assert {
    condition     = alltrue([for said in ["UPLOAD_BUCKET=a-project-whatis-uploads", "RESULTS_BUCKET=a-project-whatis-results", "UPLOAD_TOPIC=whatis-uploads", "FAILURES_SUBSCRIPTION=whatis-failures", "scripts/upload", "gcloud run services proxy whatis-api --region=europe-west1", "set alert_emails", "set max_usd_per_day"] : strcontains(output.next, said)])
    error_message = "the output next does not say what comes next"
  }
}
