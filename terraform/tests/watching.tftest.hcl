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

# Each condition whole: a threshold that never comes, a comparison the other way round
# or a filter of nothing is as good as no alert.
run "alerts" {
  command = plan

  assert {
    condition = [for c in google_monitoring_alert_policy.failures.conditions : "${c.condition_threshold[0].filter} ${c.condition_threshold[0].comparison} ${c.condition_threshold[0].threshold_value} for ${c.condition_threshold[0].duration}, ${one(c.condition_threshold[0].aggregations).per_series_aligner} of ${one(c.condition_threshold[0].aggregations).alignment_period}"] == [
      "resource.type = \"pubsub_subscription\" AND metric.type = \"pubsub.googleapis.com/subscription/num_undelivered_messages\" AND resource.labels.subscription_id = \"whatis-failures\" COMPARISON_GT 0 for 0s, ALIGN_MAX of 60s",
    ]
    error_message = "nobody hears of a photo that was given up"
  }
  assert {
    condition = [for c in google_monitoring_alert_policy.errors.conditions : "${c.condition_threshold[0].filter} ÷ ${c.condition_threshold[0].denominator_filter} ${c.condition_threshold[0].comparison} ${c.condition_threshold[0].threshold_value} for ${c.condition_threshold[0].duration}"] == [
      "resource.type = \"cloud_run_revision\" AND metric.type = \"run.googleapis.com/request_count\" AND metric.labels.response_code_class = \"5xx\" AND resource.labels.service_name = one_of(\"whatis-api\", \"whatis-task\", \"whatis-upload\") ÷ resource.type = \"cloud_run_revision\" AND metric.type = \"run.googleapis.com/request_count\" AND resource.labels.service_name = one_of(\"whatis-api\", \"whatis-task\", \"whatis-upload\") COMPARISON_GT 0.2 for 900s",
    ]
    error_message = "nobody hears of failing requests"
  }
  assert {
    condition     = [for a in concat(google_monitoring_alert_policy.errors.conditions[0].condition_threshold[0].aggregations, google_monitoring_alert_policy.errors.conditions[0].condition_threshold[0].denominator_aggregations) : "${a.per_series_aligner} ${a.alignment_period} ${a.cross_series_reducer} ${join(",", a.group_by_fields)}"] == ["ALIGN_DELTA 300s REDUCE_SUM resource.label.service_name", "ALIGN_DELTA 300s REDUCE_SUM resource.label.service_name"]
    error_message = "requests that fail are not set against all of the same service and time"
  }
  # internal/analyze/intake gives up after a day of outage; Pub/Sub forgets after seven.
  assert {
    condition = toset([for c in google_monitoring_alert_policy.age.conditions : "${trimprefix(c.condition_threshold[0].filter, "resource.type = \"pubsub_subscription\" AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\" AND ")} ${c.condition_threshold[0].comparison} ${c.condition_threshold[0].threshold_value} for ${c.condition_threshold[0].duration}, ${one(c.condition_threshold[0].aggregations).per_series_aligner} of ${one(c.condition_threshold[0].aggregations).alignment_period}"]) == toset([
      "resource.labels.subscription_id = one_of(\"whatis-long-tasks\", \"whatis-uploads\") COMPARISON_GT 1800 for 300s, ALIGN_MAX of 60s",
      "resource.labels.subscription_id = one_of(\"whatis-tasks\") COMPARISON_GT 21600 for 300s, ALIGN_MAX of 60s",
      "resource.labels.subscription_id = one_of(\"whatis-long-tasks-dead-letter\", \"whatis-tasks-dead-letter\", \"whatis-uploads-dead-letter\") COMPARISON_GT 3600 for 300s, ALIGN_MAX of 60s",
    ])
    error_message = "nobody hears of a message that waits"
  }
  assert {
    condition = toset([for c in google_monitoring_alert_policy.loss.conditions : "${trimprefix(c.condition_threshold[0].filter, "resource.type = \"pubsub_subscription\" AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\" AND ")} ${c.condition_threshold[0].comparison} ${c.condition_threshold[0].threshold_value} for ${c.condition_threshold[0].duration}, ${one(c.condition_threshold[0].aggregations).per_series_aligner} of ${one(c.condition_threshold[0].aggregations).alignment_period}"]) == toset([
      "resource.labels.subscription_id = one_of(\"whatis-long-tasks\", \"whatis-tasks\", \"whatis-uploads\") COMPARISON_GT 432000 for 0s, ALIGN_MAX of 60s",
      "resource.labels.subscription_id = one_of(\"whatis-long-tasks-dead-letter\", \"whatis-tasks-dead-letter\", \"whatis-uploads-dead-letter\", \"whatis-failures\") COMPARISON_GT 2246400 for 0s, ALIGN_MAX of 60s",
    ])
    error_message = "messages are lost before anybody hears of it"
  }
  # Two days of seven and five of 31 are left, whatever the retention comes to be.
  assert {
    condition     = tonumber(trimsuffix(google_pubsub_subscription.queues["uploads"].message_retention_duration, "s")) - 432000 >= 2 * 86400 - 1 && tonumber(trimsuffix(google_pubsub_subscription.failures.message_retention_duration, "s")) - 2246400 >= 5 * 86400 - 1
    error_message = "who is told of a loss is told too late"
  }
  assert {
    condition = [for c in google_monitoring_alert_policy.spend.conditions : c.condition_matched_log[0].filter] == [
      "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=~\"^whatis-(upload|task|api)$\" AND jsonPayload.message=\"spend is near its limit\"",
    ] && google_monitoring_alert_policy.spend.alert_strategy[0].notification_rate_limit[0].period == "3600s"
    error_message = "nobody hears that the day's money runs out, or everybody with each line"
  }
  assert {
    condition = toset([for c in google_monitoring_alert_policy.models.conditions : "${c.condition_prometheus_query_language[0].query} for ${c.condition_prometheus_query_language[0].duration} each ${c.condition_prometheus_query_language[0].evaluation_interval}"]) == toset([for kinds, more in { "gone|invalid|unauthorized" = 0, "malformed|unavailable" = 20, "quota" = 50 } :
      "sum by (kind) (increase(logging_googleapis_com:user_whatis_model_errors{monitored_resource=\"cloud_run_revision\",kind=~\"${kinds}\"}[15m])) > ${more} for 0s each 60s"
    ])
    error_message = "nobody hears of a model that is gone, closed, down or out of quota"
  }
  # A metric of the log can be asked about only minutes after it was made.
  assert {
    condition     = alltrue([for c in google_monitoring_alert_policy.models.conditions : c.condition_prometheus_query_language[0].disable_metric_validation])
    error_message = "the first apply fails, as the metric is not there yet"
  }
  # Cloud Monitoring takes six conditions, and joins them as it is told.
  assert {
    condition     = alltrue([for p in [google_monitoring_alert_policy.failures, google_monitoring_alert_policy.errors, google_monitoring_alert_policy.age, google_monitoring_alert_policy.loss, google_monitoring_alert_policy.spend, google_monitoring_alert_policy.models] : length(p.conditions) <= 6 && p.combiner == "OR" && p.enabled != false])
    error_message = "a policy has too many conditions, wants them all at once, or is off"
  }
  assert {
    condition     = length(regexall("resource \"google_monitoring_alert_policy\"", join("\n", [for f in fileset(path.module, "*.tf") : file("${path.module}/${f}")]))) == 6
    error_message = "there is an alert that this test does not know"
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
    condition     = alltrue([for p in [google_monitoring_alert_policy.failures, google_monitoring_alert_policy.errors, google_monitoring_alert_policy.age, google_monitoring_alert_policy.loss, google_monitoring_alert_policy.spend, google_monitoring_alert_policy.models] : toset(p.notification_channels) == toset([for c in google_monitoring_notification_channel.emails : c.id])])
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

# metrics_test.go runs these filters over the code's own lines.
run "metrics_read_the_log" {
  command = plan

  assert {
    condition = { for m in [google_logging_metric.results, google_logging_metric.seconds, google_logging_metric.cost, google_logging_metric.model_errors] : m.name => trimprefix(m.filter, "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=~\"^whatis-(upload|task|api)$\" AND ") } == {
      "whatis/results"      = "jsonPayload.message=\"object analysed\""
      "whatis/seconds"      = "jsonPayload.message=\"object analysed\" AND jsonPayload.cached=false"
      "whatis/cost_usd"     = "jsonPayload.message=(\"object analysed\" OR \"analysis broken off\") AND jsonPayload.cost_usd>0"
      "whatis/model_errors" = "severity>=WARNING AND jsonPayload.error=~\"gemini: ([a-z0-9.-]+: )?(gone|invalid|malformed|quota|unauthorized|unavailable)\""
    }
    error_message = "a metric does not find its line, or finds others"
  }
  assert {
    condition = { for m in [google_logging_metric.results, google_logging_metric.seconds, google_logging_metric.cost, google_logging_metric.model_errors] : m.name => jsonencode(m.label_extractors) } == {
      "whatis/results"      = jsonencode({ source = "EXTRACT(jsonPayload.source)", cached = "EXTRACT(jsonPayload.cached)" })
      "whatis/seconds"      = jsonencode({ source = "EXTRACT(jsonPayload.source)" })
      "whatis/cost_usd"     = "null"
      "whatis/model_errors" = jsonencode({ kind = "REGEXP_EXTRACT(jsonPayload.error, \"gemini: (?:[a-z0-9.-]+: )?(gone|invalid|malformed|quota|unauthorized|unavailable)\")" })
    }
    error_message = "a label is read from another field than the code's"
  }
  assert {
    condition     = alltrue([for m in [google_logging_metric.results, google_logging_metric.seconds, google_logging_metric.cost, google_logging_metric.model_errors] : toset([for l in m.metric_descriptor[0].labels : l.key]) == toset(try(keys(m.label_extractors), [])) && m.metric_descriptor[0].metric_kind == "DELTA" && m.disabled != true])
    error_message = "a metric is off, or its labels are not those that are read"
  }
  # took is a text such as 6.42s.
  assert {
    condition     = google_logging_metric.seconds.value_extractor == "REGEXP_EXTRACT(jsonPayload.took, \"^([0-9.]+)s$\")" && google_logging_metric.seconds.metric_descriptor[0].value_type == "DISTRIBUTION"
    error_message = "the time is not read out of the line"
  }
  assert {
    condition     = google_logging_metric.cost.value_extractor == "EXTRACT(jsonPayload.cost_usd)" && google_logging_metric.cost.metric_descriptor[0].value_type == "DISTRIBUTION"
    error_message = "the cost is not read out of the line"
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
    condition     = alltrue([for said in ["UPLOAD_BUCKET=a-project-whatis-uploads", "RESULTS_BUCKET=a-project-whatis-results", "UPLOAD_TOPIC=whatis-uploads", "FAILURES_SUBSCRIPTION=whatis-failures", "whatisit upload", "gcloud run services proxy whatis-api --region=europe-west1", "set alert_emails", "set max_usd_per_day"] : strcontains(output.next, said)])
    error_message = "the output next does not say what comes next"
  }
}
